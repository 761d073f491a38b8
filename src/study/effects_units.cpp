#include <algorithm>
#include <cmath>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "evaluate/learning.hpp"
#include "options/json_number.hpp"
#include "options/option_json.hpp"
#include "study/effects.hpp"
#include "study/joined_plan.hpp"
#include "study/topic_features.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

OutcomeOptions effects_outcome(const StudySetting& setting) {
  return {.world = World::kIndividualEffects, .kappa1 = 10, .kappa2 = setting.kappa2, .noise = 1};
}

EvaluateOptions effects_options(const EffectsRow& row) {
  EvaluateOptions options = study_evaluation();
  options.plan.protocol = Protocol::kSplit;
  options.network_ridge = row.network_ridge;
  return options;
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
  const TopicNetwork& network = setting.network->network;
  LoadedData data =
      simulate_data(context.with_seed(setting.seed), network, effects_outcome(setting), replicate)
          .data;
  const FitPlan plan = make_plan(context, data.observed, effects_options(row).plan, context.seed());
  if (row.is_oracle) data.observed.features = topic_features(network);
  const Matrix<double> mu = predict_outcomes(context, data.observed, row, plan);
  const MatrixView<const double> truth = data.truth->outcomes();
  double squares = 0;
  double total = 0;
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    const NodeIndex i = plan.scored[k];
    const double error = (mu(k, 1) - mu(k, 0)) - (truth(i, 1) - truth(i, 0));
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

Unit effects_unit(const StudySetting& setting, std::uint64_t replicate, const EffectsRow& row) {
  constexpr std::uint64_t kSeedsPerReplicate = 100'000;  // as in table 2
  Json options = {{"setting", setting.name()},
                  {"outcome", option_json(effects_outcome(setting))},
                  {"simulation", replicate},
                  {"simulation_seed", setting.seed},
                  {"group", row.label},
                  {"estimator", row.estimator},
                  {"is_oracle", row.is_oracle},
                  {"joins_validation", is_network_row(row.estimator)},
                  {"evaluation", option_json(effects_options(row))}};
  options["evaluation"].erase("estimators");
  Unit unit{.identity = {.kind = "effects",
                         .options = std::move(options),
                         .seed = setting.seed + kSeedsPerReplicate * replicate,
                         .data_checksum = setting.network->checksum}};
  unit.run = [=](const Context& context) {
    return measure_effects(context, setting, replicate, row);
  };
  unit.accepts = [](const Json& result) {
    return result.is_object() && result.contains("root_pehe") && result.contains("ate_error");
  };
  return unit;
}

}  // namespace cone
