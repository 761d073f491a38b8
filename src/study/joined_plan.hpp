#pragma once

#include <string_view>

#include "cone/learn.hpp"

namespace cone {

/// The plan of a learner that selects nothing: it fits on all nodes that a task may see, those to
/// select with included (the paper's protocol: train and validation), and has no selection splits.
FitPlan join_selection(const FitPlan& plan);

/// Whether an estimator of the catalogue is on the network ridge, which selects nothing on held-out
/// nodes. False for other labels.
bool is_network_row(std::string_view estimator);

}  // namespace cone
