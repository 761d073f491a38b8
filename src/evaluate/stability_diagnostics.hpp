#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// Variation of one estimator's values over folds and, where the evaluation was repeated, over
/// seeds. One entry per policy whose estimate has influences by node, or that was repeated.
/// `cluster`: given clusters, one per node, whose shared noise may differ between folds; empty
/// where there are none. Over all ranks.
std::vector<PolicyStability> measure_stability(std::span<const PolicyResult> results,
                                               std::string_view estimator, const FitPlan& plan,
                                               std::span<const std::uint32_t> cluster = {},
                                               const Communicator& comm = Communicator::self());

/// Whether the values by fold differ by more than sampling error explains.
bool do_folds_disagree(const PolicyStability& stability);

}  // namespace cone
