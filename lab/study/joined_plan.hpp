#pragma once

#include <string_view>

#include "cone/learn.hpp"

namespace cone {

/// The plan of a learner without model selection: it fits on all nodes that a task may see, the
/// selection nodes included (in the split protocol: train and validation), without selection
/// splits.
FitPlan join_selection(const FitPlan& plan);

/// Whether an estimator of the catalogue uses the network ridge, which needs no held-out nodes for
/// selection. False for other labels.
bool is_network_row(std::string_view estimator);

}  // namespace cone
