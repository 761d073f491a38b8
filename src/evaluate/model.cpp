#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/text.hpp"

#include "cone_networks/cone_learner.hpp"
#include "cone_networks/export_attention.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/model_file.hpp"
#include "evaluate/workload.hpp"
#include "inference/network_treatment.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "results/ridge_text.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

const ConeFit& require_networks(const FittedModel& model) {
  if (model.networks) return *model.networks;
  throw Error(ErrorCode::kData, Fault{.what = "the model holds no networks",
                                      .advice = "fit it with --parts networks"});
}

std::string networks_text(const ConeFit& fit) {
  TextTable table({{"fold"},
                   {"training", TextTable::Align::kLeft},
                   {"epochs"},
                   {"best epoch"},
                   {"outcome loss"},
                   {"treatment loss"},
                   {"outcome error"},
                   {"propensity loss"}});
  for (std::size_t k = 0; k < fit.folds.size(); ++k) {
    const FoldTraining& training = fit.folds[k].training;
    std::string status(enum_name(training.status));
    std::replace(status.begin(), status.end(), '_', ' ');
    const auto loss = [](double value) { return fmt::format("{:.4f}", value); };
    table.add_row({std::to_string(k + 1), status, std::to_string(training.epochs),
                   std::to_string(training.best_epoch), loss(training.encoder_head_mse),
                   loss(training.treatment_head_loss), loss(training.arm_network_mse),
                   loss(training.propensity_loss)});
  }
  return table.to_string();
}

const std::vector<std::string> kPartNames = {"networks", "network_ridge"};

bool has_part(const std::vector<std::string>& parts, const std::string& name) {
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

}  // namespace

void ModelOptions::check(std::vector<Fault>& faults) const {
  for (const std::string& name : parts) {
    if (has_part(kPartNames, name)) continue;
    const std::string nearest = closest_name(name, kPartNames);
    faults.push_back({{.item = "--parts"},
                      fmt::format("there is no part '{}'", printable(name)),
                      nearest.empty() ? fmt::format("choose from {}", fmt::join(kPartNames, ", "))
                                      : fmt::format("did you mean {}?", nearest)});
  }
  plan.check(faults);
  network_ridge.check(faults);
}

std::vector<std::string> parts_to_fit(const Dataset& data, const ModelOptions& options) {
  if (!options.parts.empty()) return options.parts;
  return why_without_networks(data) != nullptr ? std::vector<std::string>{"network_ridge"}
                                               : kPartNames;
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const ModelOptions& options) {
  const std::vector<std::string> parts = parts_to_fit(data, options);
  const FitSize size = measure_size(context, data, options.plan);
  return {
      {"network ridge", has_part(parts, "network_ridge")
                            ? expect_ridge_cost(size, options.network_ridge).variances
                            : 0},
      {"networks",
       has_part(parts, "networks") ? cone_seconds(size, options.cone, /*is_fitted=*/false) : 0}};
}

Model fit_model(const Context& context, const Dataset& data, const ModelOptions& options) {
  validate(options);
  const std::vector<std::string> parts = parts_to_fit(data, options);
  const StageList stages(context, expected_costs(context, data, options));
  auto model = std::make_shared<FittedModel>();
  if (has_part(parts, "network_ridge")) {
    const StageScope stage = stages.enter(0);
    model->network_ridge = fit_network_ridge(context, data, options.plan, options.network_ridge);
  }
  if (has_part(parts, "networks")) {
    const StageScope stage = stages.enter(1);
    model->networks = fit_cone(context, data, options.plan, options.cone);
  }
  return model;
}

Model load_model(const std::filesystem::path& path) {
  return std::make_shared<const FittedModel>(read_model(path));
}

Model load_model(std::string_view bytes, const std::string& name) {
  return std::make_shared<const FittedModel>(parse_model(bytes, name));
}

void save_model(const std::filesystem::path& path, const FittedModel& model) {
  write_model(path, model);
}

Nuisances predict_by_model(const Context& context, const Dataset& data, const FittedModel& model,
                           AutoNumber propensity_bound) {
  const ConeFit& networks = require_networks(model);
  const FitPlan plan = redraw_plan_checked(context, data, networks);
  const ConeLearner learner(
      {.plan = networks.plan, .networks = networks.options, .propensity_bound = propensity_bound},
      &networks);
  return learner.fit(context.with_seed(networks.seed), data, plan);
}

ModelFacts describe_model(const FittedModel& model) {
  ModelFacts facts{
      .plan = model.plan(), .seed = model.seed(), .has_networks = model.networks.has_value()};
  if (model.network_ridge) facts.network_ridge = model.network_ridge->options;
  return facts;
}

std::string model_text(const FittedModel& model) {
  std::string text;
  if (model.network_ridge) {
    const NetworkRidgeSummary ridge = summarise_fit(*model.network_ridge);
    text += "Network ridge: decomposition of the outcome variance, given the degree\n" +
            variance_shares_text(ridge);
    std::vector<std::string> warnings;
    add_ridge_warnings(ridge, warnings);
    for (const std::string& warning : warnings) text += "! " + warning + "\n";
  }
  if (model.networks) text += (text.empty() ? "" : "\nNetworks\n") + networks_text(*model.networks);
  return text;
}

Matrix<float> represent_by_model(const Context& context, const Dataset& data,
                                 const FittedModel& model) {
  const ConeFit& fit = require_networks(model);
  const FitPlan plan = redraw_plan_checked(context, data, fit);
  return fit.z.rows() > 0 ? fit.z : encode_scored_nodes(context, data, plan, fit);
}

void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const FittedModel& model, CsvCells cells) {
  write_attention(context, out, data, require_networks(model), cells);
}

void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const FittedModel& model) {
  write_representations(context, out, data, require_networks(model));
}

NodeEffects predict_effects(const Context& context, const Dataset& data,
                            const EffectOptions& options, const FittedModel* model) {
  return estimate_effects_with_warnings(context, data, options, network_ridge_of(model));
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EffectOptions& options, const FittedModel* model) {
  return expected_costs(context, data, options, network_ridge_of(model));
}

}  // namespace cone
