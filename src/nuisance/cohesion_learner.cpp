#include "nuisance/cohesion_learner.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "linear/strength_selection.hpp"
#include "nuisance/cohesion_system.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/fit_on_root.hpp"
#include "nuisance/linear_fit.hpp"
#include "nuisance/linear_variance.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"
#include "nuisance/ridge_selection.hpp"

namespace cone {
namespace {

/// Prior variance of a node's effect given its neighbours', relative to the noise, at both ends of
/// the grid: 1 / (λ·mean degree).
constexpr double kLeastEffect = 1e-2;
constexpr double kMostEffect = 1e2;
/// Fits that only compare penalties need the loss to a few digits.
constexpr double kCohesionSelectionTolerance = 1e-4;
constexpr double kCohesionTolerance = 1e-11;

/// One regression: of a fold and an arm.
struct CohesionUnit {
  std::size_t task = 0;
  Arm arm = 0;
  CohesionPenalties penalties;
  double selection_error = 0;  ///< mean squared error of held-out nodes

  std::vector<NodeIndex> nodes(const LinearInputs& inputs) const {
    return nodes_of_arm(inputs.data, inputs.plan.tasks[task].fit, arm);
  }
};

/// Predictions for some nodes, in their order.
std::vector<double> predict(const LinearInputs& inputs, const CohesionSystem& system,
                            const CohesionCoefficients& coefficients,
                            std::span<const NodeIndex> nodes) {
  const std::vector<double> slopes = system.features().expand(coefficients.slopes);
  const double intercept =
      coefficients.intercept + system.features().intercept_shift(coefficients.slopes);
  std::vector<double> out;
  out.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    out.push_back(intercept + dot(inputs.x.row(i), slopes) + coefficients.effects[i]);
  }
  return out;
}

/// Held-out losses over the grid; none where the split has no node of the arm on one side.
std::vector<double> held_out_losses(const Context& context, const LinearInputs& inputs,
                                    const CohesionUnit& unit, const SelectionSplit& split,
                                    std::span<const double> grid) {
  const std::vector<NodeIndex> fit = nodes_of_arm(inputs.data, split.fit, unit.arm);
  const std::vector<NodeIndex> score = nodes_of_arm(inputs.data, split.score, unit.arm);
  if (fit.empty() || score.empty()) return {};
  const CohesionSystem system(context, inputs.x, inputs.data.graph, fit);
  const std::vector<double> y = values_at(inputs.data.outcome, fit);
  CohesionCoefficients coefficients = system.zeros();
  return losses_along_path(grid.size(), [&](std::size_t k) {
    system.fit(y, {.ridge = unit.penalties.ridge, .cohesion = grid[k]}, kCohesionSelectionTolerance,
               coefficients);
    const std::vector<double> predicted = predict(inputs, system, coefficients, score);
    double loss = 0;
    for (std::size_t j = 0; j < score.size(); ++j) {
      const double residual = inputs.data.outcome[score[j]] - predicted[j];
      loss += residual * residual;
    }
    return loss;
  });
}

/// Infinity, then λ from strong to weak.
std::vector<double> list_penalties(const Graph& graph) {
  std::size_t num_connected = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) num_connected += graph.degree(i) > 0 ? 1 : 0;
  const double mean_degree =
      2 * static_cast<double>(graph.num_edges()) / static_cast<double>(num_connected);
  std::vector<double> grid = signal_grid(kLeastEffect, kMostEffect);
  for (double& effect : grid) effect = 1 / (effect * mean_degree);
  return grid;
}

/// Sets the units' λ and selection errors.
void choose_cohesion(const Context& context, const LinearInputs& inputs,
                     std::span<CohesionUnit> units) {
  struct Fit {
    std::size_t unit;
    std::size_t split;
  };
  const std::vector<double> grid = inputs.data.graph.num_edges() == 0
                                       ? std::vector{std::numeric_limits<double>::infinity()}
                                       : list_penalties(inputs.data.graph);
  std::vector<Fit> fits;
  std::vector<std::vector<std::vector<double>>> losses(units.size());
  for (std::size_t u = 0; u < units.size(); ++u) {
    losses[u].resize(inputs.plan.tasks[units[u].task].selection.size());
    for (std::size_t s = 0; s < losses[u].size(); ++s) fits.push_back({u, s});
  }
  context.for_each_task("choosing the cohesion penalty", fits.size(), [&](std::size_t f) {
    const auto [u, s] = fits[f];
    losses[u][s] = held_out_losses(context, inputs, units[u],
                                   inputs.plan.tasks[units[u].task].selection[s], grid);
  });
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::size_t best = find_least_loss(losses[u]);
    require(best != kNoCandidate, "cohesion: splits that the ridge penalty was chosen on");
    units[u].penalties.cohesion = grid[best];
    double num_nodes = 0;
    for (std::size_t s = 0; s < losses[u].size(); ++s) {
      if (losses[u][s].empty()) continue;
      units[u].selection_error += losses[u][s][best];
      const auto& score = inputs.plan.tasks[units[u].task].selection[s].score;
      num_nodes += static_cast<double>(nodes_of_arm(inputs.data, score, units[u].arm).size());
    }
    units[u].selection_error /= num_nodes;
  }
}

/// Solves a regression's equations again, for the weights of policies.
class CohesionVariance : public FitVariance {
 public:
  /// squared_residuals: one per node of the data.
  CohesionVariance(std::shared_ptr<const LinearInputs> inputs, std::vector<CohesionUnit> units,
                   std::vector<double> squared_residuals)
      : inputs_(std::move(inputs)),
        units_(std::move(units)),
        squared_residuals_(std::move(squared_residuals)) {}

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override {
    std::vector<std::vector<std::vector<double>>> parts(units_.size());
    std::vector<char> converged(units_.size(), 1);
    context.for_each_task("computing implied weights", units_.size(), [&](std::size_t u) {
      bool solved = true;
      parts[u] = imply_unit_weights(context, units_[u], policies, solved);
      converged[u] = solved ? 1 : 0;
    });
    std::vector<ImpliedWeights> out(policies.size());
    for (std::size_t k = 0; k < policies.size(); ++k) {
      out[k].weights.assign(inputs_->data.num_nodes(), 0.0);
      for (std::size_t u = 0; u < units_.size(); ++u) {
        const std::vector<NodeIndex> nodes = units_[u].nodes(*inputs_);
        for (std::size_t j = 0; j < nodes.size(); ++j) out[k].weights[nodes[j]] += parts[u][k][j];
        out[k].converged = out[k].converged && converged[u] != 0;
      }
      out[k].variance =
          noise_variance(context, out[k].weights, squared_residuals_, inputs_->plan.scored.size());
    }
    return out;
  }

 private:
  std::vector<std::vector<double>> imply_unit_weights(
      const Context& context, const CohesionUnit& unit,
      std::span<const MatrixView<const double>> policies, bool& solved) const {
    const CohesionSystem system(context, inputs_->x, inputs_->data.graph, unit.nodes(*inputs_));
    const CentredMatrix& features = system.features();
    std::vector<std::vector<double>> weights;
    weights.reserve(policies.size());
    for (const MatrixView<const double>& policy : policies) {
      CohesionCoefficients total = system.zeros();
      std::vector<double> points(inputs_->x.cols(), 0.0);
      for (const NodeIndex i : inputs_->plan.tasks[unit.task].score) {
        const double probability = policy(i, unit.arm);
        total.intercept += probability;
        total.effects[i] = probability;
        add_scaled(probability, inputs_->x.row(i), points);
      }
      for (std::size_t j = 0; j < total.slopes.size(); ++j) {
        total.slopes[j] = points[features.kept()[j]] - total.intercept * features.means()[j];
      }
      bool converged = true;
      weights.push_back(system.weights(total, unit.penalties, kCohesionTolerance, converged));
      solved = solved && converged;
    }
    return weights;
  }

  std::shared_ptr<const LinearInputs> inputs_;
  std::vector<CohesionUnit> units_;
  std::vector<double> squared_residuals_;
};

/// Of the model that scored a node; where none did (split protocol), of held-out nodes of its arm.
std::vector<double> squared_residuals(const LinearInputs& inputs,
                                      std::span<const CohesionUnit> units,
                                      const OutcomeTable& table) {
  std::vector<double> squares(inputs.data.num_nodes(), 0.0);
  for (const CohesionUnit& unit : units) {
    for (const NodeIndex i : unit.nodes(inputs)) squares[i] = unit.selection_error;
  }
  for (std::size_t k = 0; k < inputs.plan.scored.size(); ++k) {
    const NodeIndex i = inputs.plan.scored[k];
    const double residual = inputs.data.outcome[i] - table.mu(k, inputs.data.treatment[i]);
    squares[i] = residual * residual;
  }
  return squares;
}

}  // namespace

Nuisances CohesionLearner::fit(const Context& context, const Dataset& data,
                               const FitPlan& plan) const {
  validate(options_);
  if (data.distributed) return fit_on_root(context, data, plan, *this);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, plan);
  ScaledFeatures scaled = scale_for_penalty(data.features, options_.feature_scaling);
  OutcomeTable out;
  out.chosen_strengths = select_ridge_strengths(context, data, scaled, plan).strengths;
  const auto inputs =
      std::make_shared<const LinearInputs>(LinearInputs{data, plan, std::move(scaled.matrix)});

  std::vector<CohesionUnit> units;
  units.reserve(plan.tasks.size() * data.num_arms());
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      units.push_back({.task = t,
                       .arm = static_cast<Arm>(a),
                       .penalties = {.ridge = out.chosen_strengths[t * data.num_arms() + a]}});
    }
  }
  choose_cohesion(context, *inputs, units);

  std::vector<std::vector<double>> predictions(units.size());
  std::vector<char> converged(units.size(), 1);
  context.for_each_task("fitting outcome models (cohesion)", units.size(), [&](std::size_t u) {
    const std::vector<NodeIndex> nodes = units[u].nodes(*inputs);
    const CohesionSystem system(context, inputs->x, data.graph, nodes);
    CohesionCoefficients coefficients = system.zeros();
    converged[u] = system.fit(values_at(data.outcome, nodes), units[u].penalties,
                              kCohesionTolerance, coefficients)
                       ? 1
                       : 0;
    predictions[u] = predict(*inputs, system, coefficients, plan.tasks[units[u].task].score);
  });
  out.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  for (std::size_t u = 0; u < units.size(); ++u) {
    const FitTask& task = plan.tasks[units[u].task];
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out.mu(rows[k], units[u].arm) = predictions[u][k];
    }
    note_implausible(plausible_range(data, task.fit), rows, units[u].arm, predictions[u], out);
    if (converged[u] == 0) {
      out.warnings.push_back(
          fmt::format("the cohesion outcome model (fold {}, {} nodes) did not "
                      "converge",
                      units[u].task + 1, arm_adjective(data.arms, units[u].arm)));
    }
  }
  if (data.graph.num_edges() == 0) {
    out.warnings.emplace_back(
        "the data has no edges: the cohesion outcome model is a ridge regression on the features");
  }
  std::vector<double> squares = squared_residuals(*inputs, units, out);
  out.variance = std::make_shared<CohesionVariance>(inputs, std::move(units), std::move(squares));
  out.is_penalised = true;
  Nuisances nuisances;
  nuisances.outcome = std::move(out);
  return nuisances;
}

}  // namespace cone
