#include "sensitivity/fit_tables.hpp"

#include <algorithm>
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

PropensityTable fit_on_network(const Context& context, const Dataset& data, const FitPlan& plan,
                               const SensitivityOptions& options) {
  NetworkRidgeOptions ridge = options.network_ridge;
  ridge.undersmoothing = 1;  // a propensity is to predict well, node by node
  Matrix<double> e(plan.scored.size(), data.num_arms());
  std::vector<std::string> warnings;
  // Of two arms one says all.
  const std::size_t first = data.num_arms() == 2 ? 1 : 0;
  for (std::size_t a = first; a < data.num_arms(); ++a) {
    const double whole = static_cast<double>(data.num_arms() - first);
    const double done = static_cast<double>(a - first);
    const StageScope stage(context, fmt::format("propensity of arm {}", data.arms[a]), done / whole,
                           (done + 1) / whole);
    Nuisances fitted =
        NetworkRidgeLearner(ridge).fit(context, as_treatment_data(data, static_cast<Arm>(a)), plan);
    for (std::size_t k = 0; k < plan.scored.size(); ++k) e(k, a) = fitted.outcome->mu(k, 0);
    warnings.insert(warnings.end(), fitted.outcome->warnings.begin(),
                    fitted.outcome->warnings.end());
  }
  for (std::size_t k = 0; k < e.rows(); ++k) {
    const std::span<double> row = e.row(k);
    if (first == 1) row[0] = 1 - row[1];
    double total = 0;
    for (double& share : row) total += share = std::clamp(share, 0.0, 1.0);
    for (double& share : row) {
      share = total > 0 ? share / total : 1 / static_cast<double>(row.size());
    }
  }
  PropensityTable out = bound_propensities(std::move(e), options.nuisance.propensity_bound);
  out.warnings = std::move(warnings);
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
