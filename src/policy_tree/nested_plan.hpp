#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// Nested cross-fitting among the folds of `plan` other than `left_out`: fold j is scored by models
/// fitted on all folds but j and `left_out`. No node of the fold left out is used.
FitPlan leave_fold_out(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::size_t left_out, int selection_folds, std::uint64_t seed);

}  // namespace cone
