#include "cone/nuisance/propensity_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/numeric.hpp"
#include "cone/nuisance/logistic.hpp"

#include "nuisance/feature_scaling.hpp"
#include "nuisance/logistic_solver.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/strength_selection.hpp"

namespace cone {
namespace {

/// Prior variance of the logit at both ends of the grid.
constexpr double kLeastLogitVariance = 1e-3;
constexpr double kMostLogitVariance = 1e2;
/// Fits that only compare strengths need the loss to a few digits.
constexpr double kSelectionTolerance = 1e-4;
constexpr double kFinalTolerance = 1e-8;

double log_loss(const LogisticFit& fit, const Dataset& data, const SparseMatrix& x,
                std::span<const NodeIndex> nodes) {
  double loss = 0;
  for (const NodeIndex i : nodes) {
    const double logit = fit.intercept + dot(x.row(i), fit.coefficients);
    const double margin = data.treatment[i] == 1 ? logit : -logit;
    loss += softplus(-margin);
  }
  return loss;
}

/// Held-out losses over the grid of C; none where the split cannot be fitted.
std::vector<double> selection_losses(const Dataset& data, const SparseMatrix& x,
                                     const SelectionSplit& split, std::span<const double> grid) {
  const std::vector<std::uint8_t> labels = values_at(data.treatment, split.fit);
  const auto num_treated = std::count(labels.begin(), labels.end(), 1);
  if (num_treated == 0 || num_treated == std::ssize(labels) || split.score.empty()) return {};
  LogisticSolver solver(x.select_rows(split.fit), labels);
  return losses_along_path(grid.size(), [&](std::size_t k) {
    return log_loss(solver.fit(grid[k], kSelectionTolerance), data, x, split.score);
  });
}

/// The index in `grid` of each task's C.
std::vector<std::size_t> select_strengths(const Context& context, const Dataset& data,
                                          const SparseMatrix& x, const FitPlan& plan,
                                          std::span<const double> grid) {
  struct Unit {
    std::size_t task;
    std::size_t split;
  };
  std::vector<Unit> units;
  std::vector<std::vector<std::vector<double>>> losses(plan.tasks.size());
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    losses[t].resize(plan.tasks[t].selection.size());
    for (std::size_t s = 0; s < losses[t].size(); ++s) units.push_back({t, s});
  }
  context.for_each_task("choosing the propensity penalty", units.size(), [&](std::size_t u) {
    const auto [t, s] = units[u];
    losses[t][s] = selection_losses(data, x, plan.tasks[t].selection[s], grid);
  });
  std::vector<std::size_t> chosen;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    chosen.push_back(best_candidate(losses[t]));
    if (chosen.back() != kNoCandidate) continue;
    Fault fault;
    fault.what = fmt::format("no selection split of fold {} has both arms", t + 1);
    fault.advice = "use fewer folds or more data";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  return chosen;
}

}  // namespace

PropensityPredictions predict_propensities(const Context& context, const Dataset& data,
                                           const FitPlan& plan, const NuisanceOptions& options) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require_both_arms(data, plan);
  const ScaledFeatures features = scale_features(data.features.matrix, options.feature_scaling);
  const SparseMatrix& x = features.matrix;
  std::vector<double> grid = signal_grid(kLeastLogitVariance, kMostLogitVariance);
  for (double& signal : grid) signal /= features.total_variance;
  const std::vector<std::size_t> chosen = select_strengths(context, data, x, plan, grid);

  PropensityPredictions out;
  out.probability.assign(data.num_nodes(), std::numeric_limits<double>::quiet_NaN());
  std::vector<LogisticFit> fits(plan.tasks.size());
  context.for_each_task("fitting propensity models", fits.size(), [&](std::size_t t) {
    const FitTask& task = plan.tasks[t];
    fits[t] = fit_logistic(x.select_rows(task.fit), values_at(data.treatment, task.fit),
                           grid[chosen[t]], kFinalTolerance);
    for (const NodeIndex i : task.score) out.probability[i] = fits[t].probability(x.row(i));
  });

  std::size_t num_clipped = 0;
  for (const NodeIndex i : plan.scored) {
    const double bounded =
        std::clamp(out.probability[i], options.propensity_bound, 1 - options.propensity_bound);
    num_clipped += bounded != out.probability[i] ? 1 : 0;
    out.probability[i] = bounded;
  }
  if (!plan.scored.empty()) {
    out.clipped_fraction =
        static_cast<double>(num_clipped) / static_cast<double>(plan.scored.size());
  }
  std::size_t num_weakest = 0;
  for (std::size_t t = 0; t < fits.size(); ++t) {
    out.chosen_strengths.push_back(grid[chosen[t]]);
    out.converged &= fits[t].converged;
    if (!fits[t].converged) {
      out.warnings.push_back(
          fmt::format("the propensity model of fold {} stopped short of its minimum after {} steps",
                      t + 1, fits[t].iterations));
    }
    num_weakest += chosen[t] + 1 == grid.size() ? 1 : 0;
  }
  if (num_weakest > 0) {
    out.warnings.push_back(fmt::format(
        "{} of {} folds chose the weakest penalty offered: the features all but decide the "
        "treatment, so the arms may hardly overlap",
        num_weakest, plan.tasks.size()));
  }
  return out;
}

}  // namespace cone
