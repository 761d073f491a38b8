#include "cone/model.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/text.hpp"
#include "cone_networks/cone_learner.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/model_file.hpp"
#include "evaluate/workload.hpp"
#include "network_ridge/ridge_cost.hpp"

namespace cone {
namespace {

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

void save_model(const std::filesystem::path& path, const FittedModel& model) {
  write_model(path, model);
}

Nuisances predict_by_model(const Context& context, const Dataset& data, const FittedModel& model,
                           AutoNumber propensity_bound) {
  if (!model.networks) {
    throw Error(ErrorCode::kData, Fault{.what = "the model holds no networks",
                                        .advice = "fit it with --parts networks"});
  }
  const ConeFit& networks = *model.networks;
  const FitPlan plan = redraw_plan_checked(context, data, networks);
  const ConeLearner learner(
      {.plan = networks.plan, .networks = networks.options, .propensity_bound = propensity_bound},
      &networks);
  return learner.fit(context.with_seed(networks.seed), data, plan);
}

}  // namespace cone
