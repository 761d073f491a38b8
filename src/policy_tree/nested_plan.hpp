#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// Cross-fitting among the folds of `plan` other than `left_out`: fold j is scored by models of all
/// folds but j and the one left out. Nothing sees a node of that fold.
FitPlan leave_fold_out(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::size_t left_out, int selection_folds, std::uint64_t seed);

}  // namespace cone
