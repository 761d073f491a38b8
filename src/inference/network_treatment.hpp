#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "data/node_communities.hpp"
#include "inference/confounding_strength.hpp"
#include "nuisance/fit_cost.hpp"

// Whether treatment depends on the network beyond the features: a warning that evaluations, learnt
// policies and node-level effects share.

namespace cone {

struct RidgeFit;

/// Predicts the treatment of the nodes that the plan scores, `sample`, without the network and with
/// it. Two fits of the network ridge per arm (with two arms, for one of them), or one where the
/// predictions with the network are `known` (see shares_treatment_folds). The data has edges;
/// `communities`: of its network, nullptr: to be searched. Collective where it is distributed.
NetworkStrength measure_network_treatment(const Context& context, const Dataset& data,
                                          const LoggedSample& sample, const PlanOptions& plan,
                                          const NetworkRidgeOptions& options,
                                          AutoNumber propensity_bound,
                                          const Matrix<double>* known = nullptr,
                                          std::shared_ptr<const NodeCommunities> communities = {});

/// Expected time of that.
double network_treatment_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                                 bool knows_network = false);

/// Whether the strength is measured on the folds of the outcome model, so that propensities fitted
/// on those serve it too: without clusters.
bool shares_treatment_folds(const Dataset& data);

/// A warning where the dependence is significant and notable, which ends with `consequence`: how
/// the results allow for the remaining confounding.
std::optional<std::string> describe_network_treatment(const NetworkStrength& strength,
                                                      std::string_view consequence);

/// A warning where too many nodes are isolated for the network to be a benchmark of verdicts.
std::optional<std::string> describe_isolated(const NetworkStrength& strength);

/// Whether the data contradict that treatment was assigned at random given the features: the
/// network predicts it beyond them with p < 0.001, or significantly and notably (where an
/// undeclared log gets the warning). Never where clusters are given: treatment that was randomised
/// by cluster is predictable by neighbours too.
bool contradicts_randomisation(const NetworkStrength& strength, bool has_given_clusters);
/// The warning that replaces the other one then.
std::string describe_contradiction(const NetworkStrength& strength);

/// Both, of all nodes; none for data without edges. `known`: as above.
std::optional<std::string> find_network_treatment(const Context& context, const Dataset& data,
                                                  const PlanOptions& plan,
                                                  const NetworkRidgeOptions& options,
                                                  std::string_view consequence,
                                                  const Matrix<double>* known = nullptr);

/// Node-level effects, with that warning among theirs.
NodeEffects estimate_effects_with_warnings(const Context& context, const Dataset& data,
                                           const EffectOptions& options, const RidgeFit* known);
/// Expected time of that.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EffectOptions& options, const RidgeFit* known);

}  // namespace cone
