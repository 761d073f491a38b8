#include "sensitivity/fit_tables.hpp"

#include <utility>

#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "nuisance/logistic_learner.hpp"

namespace cone {

PropensityTable fit_propensity(const Context& context, const Dataset& data, const FitPlan& plan,
                               PropensityModel model, const SensitivityOptions& options) {
  if (model == PropensityModel::kNetwork) {
    return bound_propensities(
        predict_treatment(context, data, plan, options.network_ridge, /*sees_network=*/true),
        choose_propensity_bounds(data, options.nuisance.propensity_bound));
  }
  return *LogisticLearner(options.nuisance).fit(context, data, plan).propensity;
}

FittedTables fit_tables(const Context& context, const Dataset& data, const FitPlan& plan,
                        PropensityModel model, const SensitivityOptions& options,
                        const FittedTables* like) {
  FittedTables out;
  {
    const StageScope stage(context, "outcomes", 0, 0.6);
    const VarianceSource source = {.kept = like != nullptr ? like->ridge : nullptr};
    Nuisances fitted = NetworkRidgeLearner(options.network_ridge, source).fit(context, data, plan);
    out.ridge = fitted.outcome->network_ridge;
    out.mu = std::move(fitted.outcome->mu);
    out.warnings = std::move(fitted.outcome->warnings);
  }
  const StageScope stage(context, "propensities", 0.6, 1);
  PropensityTable fitted = fit_propensity(context, data, plan, model, options);
  out.e = std::move(fitted.e);
  out.warnings.insert(out.warnings.end(), fitted.warnings.begin(), fitted.warnings.end());
  return out;
}

}  // namespace cone
