#include "nuisance/outcome_model.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/numeric.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/outcome_fit.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"
#include "nuisance/ridge_selection.hpp"

namespace cone {
namespace {

struct FitUnit {
  std::size_t task;
  std::uint8_t arm;  // kOls1 has one unit per task and ignores it
};

std::vector<FitUnit> fit_units(const FitPlan& plan, OutcomeModel model) {
  std::vector<FitUnit> units;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    units.push_back({t, 0});
    if (model != OutcomeModel::kOls1) units.push_back({t, 1});
  }
  return units;
}

/// Squared residual of every node: of the model that scored it or, failing that, the mean over the
/// fits that used it.
std::vector<double> squared_residuals(const Dataset& data, const FitPlan& plan,
                                      const std::vector<OutcomeFit>& fits,
                                      const OutcomePredictions& predictions) {
  std::vector<double> squares(data.num_nodes(), 0.0);
  std::vector<double> count(data.num_nodes(), 0.0);
  for (const OutcomeFit& fit : fits) {
    for (std::size_t j = 0; j < fit.squared_residuals.size(); ++j) {
      squares[fit.nodes[j]] += fit.squared_residuals[j];
      ++count[fit.nodes[j]];
    }
  }
  for (std::size_t j = 0; j < squares.size(); ++j) {
    if (count[j] > 0) squares[j] /= count[j];
  }
  for (const NodeIndex j : plan.scored) {
    const double residual =
        data.outcome[j] - (data.treatment[j] == 1 ? predictions.mu1[j] : predictions.mu0[j]);
    squares[j] = residual * residual;
  }
  return squares;
}

/// Nodes without a weight count for nothing, whatever their residual.
double weighted_total(std::span<const double> weights, std::span<const double> squares) {
  CompensatedSum total;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) total.add(weights[j] * weights[j] * squares[j]);
  }
  return total.value();
}

void add_warnings(const std::vector<FitUnit>& units, const std::vector<OutcomeFit>& fits,
                  OutcomeModel model, std::vector<std::string>& warnings) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::string which = model == OutcomeModel::kOls1
                                  ? fmt::format("fold {}", units[u].task + 1)
                                  : fmt::format("fold {}, {} nodes", units[u].task + 1,
                                                units[u].arm == 1 ? "treated" : "untreated");
    if (fits[u].interpolates) {
      warnings.push_back(fmt::format(
          "the {} outcome model ({}) has as many free coefficients as nodes to fit, so its "
          "residuals are zero and the variance it adds is unknown: use ridge or fewer features",
          enum_name(model), which));
    }
    if (!fits[u].converged) {
      warnings.push_back(fmt::format("the {} outcome model ({}) stopped short of its minimum",
                                     enum_name(model), which));
    }
  }
}

}  // namespace

OutcomePredictions predict_outcomes(const Context& context, const Dataset& data,
                                    const FitPlan& plan, OutcomeModel model,
                                    MatrixView<const double> policies,
                                    const NuisanceOptions& options) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require(policies.rows() == 0 || policies.cols() == data.num_nodes(),
          "outcome model: a policy needs one probability per node");
  context.poll();
  require_both_arms(data, plan);
  context.poll();

  OutcomePredictions out;
  ScaledFeatures scaled;
  if (model == OutcomeModel::kRidge) {
    scaled = scale_for_penalty(data.features, options.feature_scaling);
    out.chosen_strengths = select_ridge_strengths(context, data, scaled, plan);
  } else {
    scaled.matrix = scale_for_least_squares(data.features);
  }
  const OutcomeFitInput input{.context = context,
                              .data = data,
                              .x = scaled.matrix,
                              .policies = policies,
                              .want_residuals = plan.scored.size() < data.num_nodes()};

  const std::vector<FitUnit> units = fit_units(plan, model);
  std::vector<OutcomeFit> fits(units.size());
  context.for_each_task(fmt::format("fitting outcome models ({})", enum_name(model)), units.size(),
                        [&](std::size_t u) {
                          const auto [t, arm] = units[u];
                          const double strength = model == OutcomeModel::kRidge
                                                      ? out.chosen_strengths[2 * t + arm]
                                                      : 0.0;
                          fits[u] = model == OutcomeModel::kOls1
                                        ? fit_both_arms(input, plan.tasks[t])
                                        : fit_one_arm(input, plan.tasks[t], arm, strength);
                        });

  out.mu0.assign(data.num_nodes(), kNaN);
  out.mu1.assign(data.num_nodes(), kNaN);
  out.implied_weights = Matrix<double>(policies.rows(), data.num_nodes());
  for (std::size_t u = 0; u < units.size(); ++u) {
    const OutcomeFit& fit = fits[u];
    const std::vector<NodeIndex>& score = plan.tasks[units[u].task].score;
    for (std::size_t i = 0; i < fit.mu0.size(); ++i) out.mu0[score[i]] = fit.mu0[i];
    for (std::size_t i = 0; i < fit.mu1.size(); ++i) out.mu1[score[i]] = fit.mu1[i];
    const PlausibleRange range = plausible_range(data, plan.tasks[units[u].task].fit);
    note_implausible(range, score, 0, fit.mu0, out);
    note_implausible(range, score, 1, fit.mu1, out);
    for (std::size_t k = 0; k < policies.rows(); ++k) {
      for (std::size_t j = 0; j < fit.nodes.size(); ++j) {
        out.implied_weights(k, fit.nodes[j]) += fit.weights(k, j);
      }
    }
  }
  const std::vector<double> squares = squared_residuals(data, plan, fits, out);
  const auto num_scored = static_cast<double>(plan.scored.size());
  for (std::size_t k = 0; k < policies.rows(); ++k) {
    out.model_variance.push_back(weighted_total(out.implied_weights.row(k), squares) /
                                 (num_scored * num_scored));
  }
  add_warnings(units, fits, model, out.warnings);
  return out;
}

}  // namespace cone
