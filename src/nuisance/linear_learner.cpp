#include "nuisance/linear_learner.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/linear_variance.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"
#include "nuisance/ridge_selection.hpp"

namespace cone {
namespace {

std::vector<LinearUnit> list_units(LinearModel model, const FitPlan& plan, std::size_t num_arms,
                                   std::span<const double> strengths) {
  std::vector<LinearUnit> units;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    if (model == LinearModel::kOls1) {
      units.push_back({.task = t});
      continue;
    }
    for (std::size_t a = 0; a < num_arms; ++a) {
      units.push_back({.task = t,
                       .arm = static_cast<Arm>(a),
                       .strength = strengths.empty() ? 0 : strengths[t * num_arms + a]});
    }
  }
  return units;
}

/// Squared residual of every node: of the model that scored it or, where none did, the mean over
/// the fits that used it.
std::vector<double> squared_residuals(const Dataset& data, const FitPlan& plan,
                                      const std::vector<LinearUnitFit>& fits,
                                      const OutcomeTable& table) {
  std::vector<double> squares(data.num_nodes(), 0.0);
  std::vector<double> count(data.num_nodes(), 0.0);
  for (const LinearUnitFit& fit : fits) {
    for (std::size_t j = 0; j < fit.squared_residuals.size(); ++j) {
      squares[fit.nodes[j]] += fit.squared_residuals[j];
      ++count[fit.nodes[j]];
    }
  }
  for (std::size_t j = 0; j < squares.size(); ++j) {
    if (count[j] > 0) squares[j] /= count[j];
  }
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    const NodeIndex j = plan.scored[k];
    const double residual = data.outcome[j] - table.mu(k, data.treatment[j]);
    squares[j] = residual * residual;
  }
  return squares;
}

void add_warnings(const Dataset& data, const std::vector<LinearUnit>& units,
                  const std::vector<LinearUnitFit>& fits, LinearModel model,
                  std::vector<std::string>& warnings) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::string which = units[u].all_arms()
                                  ? fmt::format("fold {}", units[u].task + 1)
                                  : fmt::format("fold {}, {} nodes", units[u].task + 1,
                                                arm_adjective(data.arms, *units[u].arm));
    if (fits[u].interpolates) {
      warnings.push_back(fmt::format(
          "the {} outcome model ({}) has as many free coefficients as nodes to fit, so its "
          "residuals are zero and its variance is unknown: use ridge or fewer features",
          enum_name(model), which));
    }
    if (!fits[u].converged) {
      warnings.push_back(
          fmt::format("the {} outcome model ({}) did not converge", enum_name(model), which));
    }
  }
}

}  // namespace

Nuisances LinearLearner::fit(const Context& context, const Dataset& data,
                             const FitPlan& plan) const {
  validate(options_);
  require_valid(plan, data.num_nodes());
  context.poll();
  require_every_arm(data, plan, context.comm());
  context.poll();

  OutcomeTable out;
  RidgeSelection selection;
  auto inputs = std::make_shared<LinearInputs>(LinearInputs{data, plan, {}});
  if (model_ == LinearModel::kRidge) {
    ScaledFeatures scaled =
        scale_for_penalty(data.features, options_.feature_scaling, context.comm());
    selection = select_ridge_strengths(context, data, scaled, plan);
    out.chosen_strengths = selection.strengths;
    inputs->x = std::move(scaled.matrix);
  } else {
    inputs->x = scale_for_least_squares(data.features, context.comm());
  }
  const std::vector<LinearUnit> units =
      list_units(model_, plan, data.num_arms(), out.chosen_strengths);
  const bool want_residuals = plan.scored.size() < data.num_nodes();
  std::vector<LinearUnitFit> fits(units.size());
  const std::size_t per_unit = kept_bytes_ / std::max<std::size_t>(1, units.size());
  const auto fit_unit = [&](std::size_t u) {
    if (!want_residuals && !selection.fits.empty() && selection.fits[u].has_value()) {
      fits[u] = use_linear_fit(*inputs, units[u], *selection.fits[u]);
      return;
    }
    fits[u] = fit_linear_unit(context, *inputs, units[u], want_residuals);
    if (fits[u].smoother->num_bytes() > per_unit) fits[u].smoother.reset();
  };
  context.for_each_task(fmt::format("fitting outcome models ({})", enum_name(model_)), units.size(),
                        fit_unit);

  out.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  for (std::size_t u = 0; u < units.size(); ++u) {
    const FitTask& task = plan.tasks[units[u].task];
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    const PlausibleRange range = plausible_range(data, task.fit, context.comm());
    for (std::size_t c = 0; c < fits[u].mu.cols(); ++c) {
      const Arm arm = units[u].all_arms() ? static_cast<Arm>(c) : *units[u].arm;
      const std::vector<double> mu = arm_column(fits[u].mu.view(), static_cast<Arm>(c));
      for (std::size_t k = 0; k < rows.size(); ++k) out.mu(rows[k], arm) = mu[k];
      note_implausible(range, rows, arm, mu, out);
    }
  }
  add_warnings(data, units, fits, model_, out.warnings);
  std::vector<std::unique_ptr<LinearSmoother>> kept;
  kept.reserve(fits.size());
  for (LinearUnitFit& fit : fits) kept.push_back(std::move(fit.smoother));
  std::vector<double> squares = squared_residuals(data, plan, fits, out);
  out.variance = std::make_shared<LinearVariance>(std::move(inputs), units, std::move(kept),
                                                  std::move(squares));
  out.is_penalised = model_ == LinearModel::kRidge;
  Nuisances nuisances;
  nuisances.outcome = std::move(out);
  return nuisances;
}

}  // namespace cone
