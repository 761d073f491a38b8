#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The plan of a learner without model selection: it fits on all nodes that a task may see, the
/// selection nodes included (in the split protocol: train and validation), without selection
/// splits.
FitPlan join_selection(const FitPlan& plan);

/// Whether an estimator of the catalogue uses the network ridge, which needs no held-out nodes for
/// selection. False for other labels.
bool is_network_row(std::string_view estimator);

/// The value of one policy (a table of the data's nodes × arms) on the scored nodes, by each
/// estimator. Outcome models, which have no selection, fit on join_selection(plan); propensity
/// models, whose penalty is selected, on the plan itself. NaN where a value does not exist.
std::vector<double> estimate_joined(const Context& context, const Dataset& data,
                                    MatrixView<const double> policy, const FitPlan& plan,
                                    std::span<const std::string_view> estimators,
                                    const EvaluateOptions& options);

/// The value of network_joint on each of several samples of nodes. The joint model has no split: it
/// is fitted to all nodes and sees the logged outcomes of the sampled ones, as the corrections of
/// doubly robust estimators do.
std::vector<double> estimate_by_joint_model(const Context& context, const Dataset& data,
                                            MatrixView<const double> policy,
                                            std::span<const std::vector<NodeIndex>> samples,
                                            const EvaluateOptions& options);

}  // namespace cone
