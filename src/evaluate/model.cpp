#include "cone/model.hpp"

#include "cone_networks/cone_fit.hpp"
#include "cone_networks/cone_learner.hpp"
#include "cone_networks/model_file.hpp"

namespace cone {

ConeModel fit_model(const Context& context, const Dataset& data, const PlanOptions& plan,
                    const ConeOptions& options) {
  return std::make_shared<const ConeFit>(fit_cone(context, data, plan, options));
}

ConeModel load_model(const std::filesystem::path& path) {
  return std::make_shared<const ConeFit>(read_model(path));
}

void save_model(const std::filesystem::path& path, const ConeFit& model) {
  write_model(path, model);
}

Nuisances predict_by_model(const Context& context, const Dataset& data, const ConeFit& model,
                           double propensity_bound) {
  const FitPlan plan = redraw_plan_checked(context, data, model);
  const ConeLearner learner(
      {.plan = model.plan, .networks = model.options, .propensity_bound = propensity_bound},
      &model);
  return learner.fit(context.with_seed(model.seed), data, plan);
}

}  // namespace cone
