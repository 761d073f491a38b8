#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "cone/effects.hpp"
#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/json.hpp"

#include "base/random.hpp"
#include "data/split.hpp"
#include "evaluate/learning.hpp"
#include "network_ridge/calibrate_effects.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "options/json_number.hpp"
#include "study/effects.hpp"
#include "study/joined_estimates.hpp"
#include "study/topic_features.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> subtract_control(const Matrix<double>& mu) {
  std::vector<double> effects(mu.rows());
  for (std::size_t k = 0; k < mu.rows(); ++k) effects[k] = mu(k, 1) - mu(k, 0);
  return effects;
}

EvaluateOptions effects_options(const EffectsRow& row) {
  EvaluateOptions options = study_evaluation();
  options.plan.protocol = Protocol::kSplit;
  options.network_ridge = row.network_ridge;
  return options;
}

/// Cross-fitting among some nodes. The network ridge selects nothing, so there are no inner folds.
FitPlan cross_fit_within(const Dataset& data, const std::vector<NodeIndex>& nodes,
                         std::uint64_t seed) {
  FitPlan plan{.scored = nodes};
  const int folds = EffectOptions{}.folds;
  for (auto& fold : make_folds(data, nodes, folds, seed, Stream::kSelection)) {
    FitTask task;
    std::ranges::set_difference(nodes, fold, std::back_inserter(task.fit));
    task.score = std::move(fold);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

/// What cone effects reports, under the split protocol. The variances are those of the fit that
/// predicts the test nodes.
std::vector<double> predict_shrunken_effects(const Context& context, const Dataset& data,
                                             const EffectsRow& row, const FitPlan& plan) {
  const FitPlan joined = join_selection(plan);
  const OutcomeTable test =
      *NetworkRidgeLearner(row.network_ridge).fit(context, data, joined).outcome;
  const FitPlan inner = cross_fit_within(data, joined.tasks[0].fit, context.seed());
  const Matrix<double> mu = NetworkRidgeLearner(row.network_ridge, {.kept = test.network_ridge})
                                .fit(context, data, inner)
                                .outcome->mu;
  const Matrix<double> e = predict_treatment(context, data, inner, row.network_ridge,
                                             /*sees_network=*/true);
  std::vector<double> effects = subtract_control(test.mu);
  shrink_towards_mean(calibrate_effects(data, inner, mu, e)[0].shrinkage, {}, data.comm(), effects);
  return effects;
}

Matrix<double> predict_outcomes(const Context& context, const Dataset& data, const EffectsRow& row,
                                const FitPlan& plan) {
  EvaluateOptions options = effects_options(row);
  const EstimatorInfo* info = find_estimator(row.estimator);
  if (info->outcome == LearnerId::kNetworks) {
    options.cone = choose_networks(context, data, options.plan);
  }
  const auto learner = make_learner(info->outcome, {info, 1}, options, nullptr);
  return learner->fit(context, data, is_network_row(row.estimator) ? join_selection(plan) : plan)
      .outcome->mu;
}

Json measure_effects(const Context& context, const StudySetting& setting, std::uint64_t replicate,
                     const EffectsRow& row) {
  LoadedData data = simulate_setting(context, setting, replicate);
  const FitPlan plan = make_plan(context, data.observed, effects_options(row).plan, context.seed());
  if (row.is_oracle) data.observed.features = topic_features(setting.network->network);
  const std::vector<double> effects =
      row.is_shrunk ? predict_shrunken_effects(context, data.observed, row, plan)
                    : subtract_control(predict_outcomes(context, data.observed, row, plan));
  const MatrixView<const double> truth = data.truth->outcomes();
  double squares = 0;
  double total = 0;
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    const NodeIndex i = plan.scored[k];
    const double error = effects[k] - (truth(i, 1) - truth(i, 0));
    squares += error * error;
    total += error;
  }
  const auto count = static_cast<double>(plan.scored.size());
  return {{"root_pehe", json_number(std::sqrt(squares / count))},
          {"ate_error", json_number(std::abs(total / count))}};
}

}  // namespace

std::vector<std::string_view> outcome_models() {
  std::vector<std::string_view> names;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.method == Method::kDirect && row.outcome != LearnerId::kGiven) {
      names.push_back(row.name);
    }
  }
  return names;
}

StudySetting effects_setting(const StudyNetwork& network, double kappa2, std::uint64_t seed) {
  return network_setting(
      network, {.world = World::kIndividualEffects, .kappa1 = 10, .kappa2 = kappa2, .noise = 1},
      seed);
}

Unit effects_unit(const StudySetting& setting, std::uint64_t replicate, const EffectsRow& row) {
  Unit unit = unit_on_simulation("effects", setting, replicate, row.label, effects_options(row));
  Json& options = unit.identity.options;
  options["estimator"] = row.estimator;
  options["is_oracle"] = row.is_oracle;
  options["joins_validation"] = is_network_row(row.estimator);
  if (row.is_shrunk) options["effect_shrinkage"] = enum_name(EffectShrinkage::kAuto);
  unit.run = [=](const Context& context) {
    return measure_effects(context, setting, replicate, row);
  };
  unit.accepts = [](const Json& result) {
    return result.is_object() && result.contains("root_pehe") && result.contains("ate_error");
  };
  return unit;
}

}  // namespace cone
