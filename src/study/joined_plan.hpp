#pragma once

#include <string_view>

#include "cone/learn.hpp"

namespace cone {

/// The plan of a learner that selects nothing: it fits on all nodes that a task may see, those to
/// select with included (the paper's protocol: train and validation), and has no selection splits.
FitPlan join_selection(const FitPlan& plan);

/// Whether an estimator's outcome model selects nothing on held-out nodes: the network ridge, whose
/// rows are called network_*.
bool selects_nothing(std::string_view estimator);

}  // namespace cone
