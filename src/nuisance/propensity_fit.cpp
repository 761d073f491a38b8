#include "nuisance/propensity_fit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "linear/explicit_logistic.hpp"
#include "linear/logistic_folds.hpp"
#include "linear/logistic_solver.hpp"
#include "linear/strength_selection.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// Prior variance of the logit at both ends of the grid.
constexpr double kLeastLogitVariance = 1e-3;
constexpr double kMostLogitVariance = 1e2;
/// Fits that only compare strengths need the loss to a few digits.
constexpr double kSelectionTolerance = 1e-4;
constexpr double kFinalTolerance = 1e-8;
/// With an explicit Hessian the precision of a step is known, and the last steps gain two digits.
constexpr double kSelectionToleranceByHessian = 2e-4;
constexpr double kFinalToleranceByHessian = 1e-10;

/// The features and arms that every task picks its nodes from.
struct ArmRows {
  const FeatureMatrix& x;
  std::span<const Arm> treatment;
  std::size_t num_arms;
  const Communicator& comm;

  /// Whether the fitting nodes have every arm and there are nodes to compute the loss on.
  bool can_fit(const SelectionSplit& split) const {
    std::vector<double> members(num_arms, 0.0);
    for (const NodeIndex i : split.fit) ++members[treatment[i]];
    comm.allreduce(members);
    return std::ranges::all_of(members, [](double count) { return count > 0; }) &&
           comm.count(split.score.size()) > 0;
  }
};

/// Held-out losses over the grid of C; none where the split cannot be fitted.
std::vector<double> held_out_log_losses(const Context& context, const ArmRows& rows,
                                        const SelectionSplit& split, std::span<const double> grid) {
  if (!rows.can_fit(split)) return {};
  context.poll();
  const std::vector<Arm> labels = values_at(rows.treatment, split.fit);
  LogisticSolver solver(context, CentredMatrix(context, rows.x, split.fit), labels, rows.num_arms);
  const HeldOutLabels held_out(rows.x, split.score, rows.treatment);
  return losses_along_path(grid.size(), [&](std::size_t k) {
    return held_out.total_log_loss(context, solver.fit_roughly(grid[k], kSelectionTolerance));
  });
}

struct Selection {
  std::size_t strength;  ///< index in the grid
  double mean_loss;      ///< over the held-out nodes of all splits
};

/// Each task's C.
std::vector<Selection> select_strengths(const Context& context, const ArmRows& rows,
                                        std::span<const FitTask> tasks,
                                        std::span<const double> grid) {
  struct Unit {
    std::size_t task;
    std::size_t split;
  };
  std::vector<Unit> units;
  std::vector<std::vector<std::vector<double>>> losses(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    losses[t].resize(tasks[t].selection.size());
    for (std::size_t s = 0; s < losses[t].size(); ++s) units.push_back({t, s});
  }
  context.for_each_task("choosing the propensity penalty", units.size(), [&](std::size_t u) {
    const auto [t, s] = units[u];
    losses[t][s] = held_out_log_losses(context, rows, tasks[t].selection[s], grid);
  });
  std::vector<Selection> chosen;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const std::size_t best = find_least_loss(losses[t]);
    if (best == kNoCandidate) {
      Fault fault;
      fault.what = fmt::format("no selection split of fold {} has {} arms", t + 1,
                               rows.num_arms == 2 ? "both" : "all");
      fault.advice = "use fewer folds or more data";
      throw Error(ErrorCode::kData, std::move(fault));
    }
    double loss = 0;
    double num_nodes = 0;
    for (std::size_t s = 0; s < losses[t].size(); ++s) {
      if (losses[t][s].empty()) continue;
      loss += losses[t][s][best];
      num_nodes += rows.comm.count(tasks[t].selection[s].score.size());
    }
    chosen.push_back({best, loss / num_nodes});
  }
  return chosen;
}

/// Whether all fits of a task can come from one block of rows.
bool can_share_rows(const Context& context, const ArmRows& rows, const FitTask& task) {
  return prefers_explicit_hessian(context, rows.x, rows.num_arms) && !task.selection.empty() &&
         !rows.comm.any(!selects_by_folds(task)) &&
         std::ranges::all_of(task.selection,
                             [&](const auto& split) { return rows.can_fit(split); });
}

/// Chooses C and fits the model.
PropensityFit fit_on_shared_rows(const Context& context, const ArmRows& rows, const FitTask& task,
                                 std::span<const double> grid) {
  std::vector<std::span<const NodeIndex>> folds;
  for (const SelectionSplit& split : task.selection) folds.emplace_back(split.score);
  LogisticFolds models(context, rows.x, folds, rows.treatment, rows.num_arms);
  const std::vector<std::vector<double>> losses = losses_along_paths(
      folds.size(), grid.size(),
      [&](std::size_t k) { return models.held_out_losses(grid[k], kSelectionToleranceByHessian); });
  const std::size_t best = find_least_loss(losses);
  double loss = 0;
  for (const std::vector<double>& of_fold : losses) loss += of_fold[best];
  return {.model = models.fit(grid[best], kFinalToleranceByHessian),
          .held_out_loss = loss / rows.comm.count(task.fit.size()),
          .strength = grid[best],
          .has_weakest_penalty = best + 1 == grid.size()};
}

}  // namespace

std::vector<PropensityFit> fit_propensities(const Context& context, const FeatureMatrix& x,
                                            std::span<const Arm> treatment, std::size_t num_arms,
                                            double total_variance, std::span<const FitTask> tasks) {
  const ArmRows rows{.x = x, .treatment = treatment, .num_arms = num_arms, .comm = context.comm()};
  std::vector<double> grid = signal_grid(kLeastLogitVariance, kMostLogitVariance);
  for (double& signal : grid) signal /= total_variance;
  std::vector<PropensityFit> fits(tasks.size());
  if (std::all_of(tasks.begin(), tasks.end(),
                  [&](const FitTask& task) { return can_share_rows(context, rows, task); })) {
    context.for_each_task("fitting propensity models", fits.size(), [&](std::size_t t) {
      fits[t] = fit_on_shared_rows(context, rows, tasks[t], grid);
    });
    return fits;
  }
  const std::vector<Selection> chosen = select_strengths(context, rows, tasks, grid);
  context.for_each_task("fitting propensity models", fits.size(), [&](std::size_t t) {
    const double strength = grid[chosen[t].strength];
    LogisticSolver solver(context, CentredMatrix(context, x, tasks[t].fit),
                          values_at(treatment, tasks[t].fit), num_arms);
    fits[t] = {.model = solver.fit(strength, kFinalTolerance),
               .held_out_loss = chosen[t].mean_loss,
               .strength = strength,
               .has_weakest_penalty = chosen[t].strength + 1 == grid.size()};
  });
  return fits;
}

}  // namespace cone
