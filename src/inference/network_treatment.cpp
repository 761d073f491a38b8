#include "inference/network_treatment.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "network_ridge/ridge_cost.hpp"
#include "network_ridge/ridge_fit.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone {
namespace {

/// Folds for the treatment model. Outcome models use folds of complete clusters, which keep a
/// cluster's noise out of its own predictions. For the treatment such folds would hide dependence
/// within clusters, which is to be measured here.
FitPlan plan_treatment(const Context& context, const Dataset& data, const PlanOptions& options) {
  if (shares_treatment_folds(data)) return make_plan(context, data, options, context.seed());
  Dataset ungrouped;
  ungrouped.ids = data.ids;
  ungrouped.arms = data.arms;
  ungrouped.treatment = data.treatment;
  ungrouped.outcome = data.outcome;
  ungrouped.distributed = data.distributed;
  return make_plan(context, ungrouped, options, context.seed());
}

/// Whether estimate_effects has predicted the treatment with the network, on the same folds.
bool knows_network(const Dataset& data, const EffectOptions& options) {
  return options.effect_shrinkage != EffectShrinkage::kNone && shares_treatment_folds(data);
}

bool is_notable(const NetworkStrength& strength) {
  constexpr double kNotable = 0.02;
  return strength.is_clear && strength.added >= kNotable;
}

}  // namespace

NetworkStrength measure_network_treatment(const Context& context, const Dataset& data,
                                          const LoggedSample& sample, const PlanOptions& plan,
                                          const NetworkRidgeOptions& options,
                                          AutoNumber propensity_bound, const Matrix<double>* known,
                                          std::shared_ptr<const NodeCommunities> communities) {
  require(known == nullptr || shares_treatment_folds(data),
          "network treatment: propensities of other folds");
  const FitPlan folds = plan_treatment(context, data, plan);
  const auto predict = [&](bool sees_network) {
    const StageScope stage(
        context, sees_network ? "treatment by features and network" : "treatment by features",
        sees_network ? 0.3 : 0, sees_network ? 1 : 0.3);
    if (sees_network && known != nullptr) return *known;
    return predict_treatment(context, data, folds, options, sees_network, communities);
  };
  Matrix<double> by_features = predict(false);
  std::vector<std::uint8_t> is_connected;
  for (const NodeIndex i : sample.nodes) is_connected.push_back(data.degree(i) > 0 ? 1 : 0);
  return measure_strength(sample, std::move(by_features), predict(true),
                          choose_propensity_bounds(data, propensity_bound), is_connected);
}

double network_treatment_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                                 bool knows_network) {
  const double by_features = treatment_ridge_seconds(size, options, /*sees_network=*/false);
  if (knows_network) return by_features;
  return by_features + treatment_ridge_seconds(size, options, /*sees_network=*/true);
}

bool shares_treatment_folds(const Dataset& data) { return data.cluster.empty(); }

std::optional<std::string> describe_network_treatment(const NetworkStrength& strength,
                                                      std::string_view consequence) {
  if (!is_notable(strength)) return std::nullopt;
  return sentence(
      "treatment depends on the network beyond the features (R² {:.3f} with the network, {:.3f} "
      "without): the outcome model may adjust for this confounding only in part, and {}",
      strength.r_squared_network, strength.r_squared_features, consequence);
}

std::optional<std::string> describe_isolated(const NetworkStrength& strength) {
  if (!strength.is_clear || strength.connected_share >= kLeastConnected) return std::nullopt;
  return sentence(
      "{:.0f} % of the units have no neighbours: the network reveals nothing about their "
      "unmeasured "
      "confounders, so it supports no verdict",
      100 * (1 - strength.connected_share));
}

bool contradicts_randomisation(const NetworkStrength& strength, bool has_given_clusters) {
  constexpr double kContradiction = 0.001;
  return !has_given_clusters &&
         (is_notable(strength) || (strength.is_clear && strength.p < kContradiction));
}

std::string describe_contradiction(const NetworkStrength& strength) {
  return sentence(
      "--randomised is contradicted by the data: the network predicts treatment beyond the "
      "features (R² {:.3f} with the network, {:.3f} without, p {:.1g}). Verdicts allow for "
      "unmeasured confounding by the sensitivity intervals (without the flag also by the joint "
      "model). Treatment that was assigned by "
      "cluster takes --cluster",
      strength.r_squared_network, strength.r_squared_features, strength.p);
}

std::optional<std::string> find_network_treatment(const Context& context, const Dataset& data,
                                                  const PlanOptions& plan,
                                                  const NetworkRidgeOptions& options,
                                                  std::string_view consequence,
                                                  const Matrix<double>* known) {
  if (data.num_edges() == 0) return std::nullopt;
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  return describe_network_treatment(
      measure_network_treatment(context, data, take_sample(data, nodes), plan, options,
                                NuisanceOptions{}.propensity_bound, known),
      consequence);
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EffectOptions& options, const RidgeFit* known) {
  std::vector<ExpectedCost> costs = expected_effect_costs(context, data, options, known);
  if (data.num_edges() > 0) {
    costs.push_back(
        {"unmeasured confounding",
         network_treatment_seconds(measure_size(context, data, {.folds = options.folds}),
                                   options.network_ridge, knows_network(data, options))});
  }
  return costs;
}

NodeEffects estimate_effects_with_warnings(const Context& context, const Dataset& data,
                                           const EffectOptions& options, const RidgeFit* known) {
  const double of_effects = total_seconds(expected_effect_costs(context, data, options, known));
  const bool has_network = data.num_edges() > 0;
  std::vector<ExpectedCost> costs = {{"effects", of_effects}};
  if (has_network) costs.push_back(expected_costs(context, data, options, known).back());
  const StageList stages(context, std::move(costs));
  NodeEffects effects;
  {
    const StageScope stage = stages.enter(0);
    effects = estimate_effects(context, data, options, known);
  }
  if (!has_network) return effects;
  const StageScope stage = stages.enter(1);
  const Matrix<double>* propensity = knows_network(data, options) ? &effects.propensity : nullptr;
  if (auto warning =
          find_network_treatment(context, data, {.folds = options.folds}, options.network_ridge,
                                 "node-level effects may be biased by the rest, which no standard "
                                 "deviation here includes; "
                                 "cone evaluate has sensitivity intervals",
                                 propensity)) {
    effects.warnings.push_back(std::move(*warning));
  }
  return effects;
}

}  // namespace cone
