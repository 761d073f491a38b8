#include "sensitivity/fit_tables.hpp"

#include <utility>

#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "nuisance/gather_tables.hpp"
#include "nuisance/logistic_learner.hpp"

namespace cone {

PropensityTable fit_propensity(const Context& context, const Dataset& data, const FitPlan& plan,
                               PropensityModel model, const SensitivityOptions& options,
                               std::shared_ptr<const NodeCommunities> communities) {
  PropensityTable out;
  if (model == PropensityModel::kNetwork) {
    out = bound_propensities(predict_treatment(context, data, plan, options.network_ridge,
                                               /*sees_network=*/true, std::move(communities)),
                             choose_propensity_bounds(data, options.nuisance.propensity_bound),
                             context.comm());
  } else {
    out = std::move(*LogisticLearner(options.nuisance).fit(context, data, plan).propensity);
  }
  return gather_table(data, plan.scored, std::move(out));
}

double propensity_seconds(const FitSize& size, PropensityModel model,
                          const SensitivityOptions& options) {
  return model == PropensityModel::kNetwork
             ? treatment_ridge_seconds(size, options.network_ridge, /*sees_network=*/true)
             : logistic_seconds(size);
}

std::vector<ExpectedCost> expected_table_costs(const FitSize& size, PropensityModel model,
                                               const SensitivityOptions& options, bool keeps) {
  const RidgeWork work = keeps ? kept_variances() : RidgeWork{};
  return {{"outcomes", expect_ridge_cost(size, options.network_ridge, work).total()},
          {"propensities", propensity_seconds(size, model, options)}};
}

FittedTables fit_tables(const Context& context, const Dataset& data, const FitPlan& plan,
                        PropensityModel model, const SensitivityOptions& options,
                        const FittedTables* like) {
  FittedTables out;
  const FitSize size = measure_size(
      context, data, {.folds = options.folds, .selection_folds = options.selection_folds});
  const StageList stages(context, expected_table_costs(size, model, options, like != nullptr));
  {
    const StageScope stage = stages.enter(0);
    VarianceSource source;
    if (like != nullptr) source = {.kept = like->ridge, .communities = like->communities};
    Nuisances fitted = NetworkRidgeLearner(options.network_ridge, source).fit(context, data, plan);
    out.communities = ridge_of(*fitted.outcome)->communities;
    OutcomeTable outcome = gather_table(data, plan.scored, std::move(*fitted.outcome));
    out.ridge = outcome.network_ridge;
    out.mu = std::move(outcome.mu);
    out.warnings = std::move(outcome.warnings);
  }
  const StageScope stage = stages.enter(1);
  PropensityTable fitted = fit_propensity(context, data, plan, model, options, out.communities);
  out.e = std::move(fitted.e);
  out.warnings.insert(out.warnings.end(), fitted.warnings.begin(), fitted.warnings.end());
  return out;
}

}  // namespace cone
