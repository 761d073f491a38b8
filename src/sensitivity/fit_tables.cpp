#include "sensitivity/fit_tables.hpp"

#include <utility>

#include <fmt/format.h>

#include "network_ridge/network_ridge_learner.hpp"
#include "nuisance/logistic_learner.hpp"

namespace cone {
namespace {

/// The data with whether a node got the arm as the outcome, and one arm for all: its "expected
/// outcome" is the probability of the arm.
Dataset as_treatment_data(const Dataset& data, Arm arm) {
  Dataset out = data;
  out.arms = {data.arms[arm]};
  out.treatment.assign(data.num_nodes(), 0);
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    out.outcome[i] = data.treatment[i] == arm ? 1.0 : 0.0;
  }
  out.propensity.reset();
  out.mu.reset();
  return out;
}

/// A linear model of an indicator predicts below 0 and above 1, and a weight of one over that would
/// be anything. A logistic regression on its out-of-fold predictions makes probabilities of them.
PropensityTable fit_on_network(const Context& context, const Dataset& data, const FitPlan& plan,
                               const SensitivityOptions& options) {
  NetworkRidgeOptions ridge = options.network_ridge;
  ridge.undersmoothing = 1;  // a propensity is to predict well, node by node
  Dataset scored = data;
  scored.features = {};
  Matrix<double> scores(data.num_nodes(), data.num_arms() - 1);
  std::vector<std::string> warnings;
  for (std::size_t a = 1; a < data.num_arms(); ++a) {
    const auto whole = static_cast<double>(data.num_arms());
    const StageScope stage(context, fmt::format("propensity of arm {}", data.arms[a]),
                           static_cast<double>(a - 1) / whole, static_cast<double>(a) / whole);
    const Nuisances fitted =
        NetworkRidgeLearner(ridge).fit(context, as_treatment_data(data, static_cast<Arm>(a)), plan);
    for (std::size_t k = 0; k < plan.scored.size(); ++k) {
      scores(plan.scored[k], a - 1) = fitted.outcome->mu(k, 0);
    }
    scored.features.names.push_back(data.arms[a]);
    warnings.insert(warnings.end(), fitted.outcome->warnings.begin(),
                    fitted.outcome->warnings.end());
  }
  scored.features.num_dense = scores.cols();
  scored.features.matrix = FeatureMatrix(std::move(scores));
  PropensityTable out = *LogisticLearner(options.nuisance).fit(context, scored, plan).propensity;
  out.warnings.insert(out.warnings.end(), warnings.begin(), warnings.end());
  return out;
}

}  // namespace

PropensityTable fit_propensity(const Context& context, const Dataset& data, const FitPlan& plan,
                               PropensityModel model, const SensitivityOptions& options) {
  if (model == PropensityModel::kNetwork) return fit_on_network(context, data, plan, options);
  return *LogisticLearner(options.nuisance).fit(context, data, plan).propensity;
}

FittedTables fit_tables(const Context& context, const Dataset& data, const FitPlan& plan,
                        PropensityModel model, const SensitivityOptions& options) {
  FittedTables out;
  {
    const StageScope stage(context, "outcomes", 0, 0.6);
    Nuisances fitted = NetworkRidgeLearner(options.network_ridge).fit(context, data, plan);
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
