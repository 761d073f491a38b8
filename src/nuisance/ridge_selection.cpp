#include "nuisance/ridge_selection.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "exec/assign_rows.hpp"
#include "linear/conjugate_gradients.hpp"
#include "linear/moments.hpp"
#include "linear/strength_selection.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// Prior ratio of explained to unexplained variance at both ends of the grid.
constexpr double kLeastSignal = 1e-4;
constexpr double kMostSignal = 1e4;
/// Fits that only compare strengths need the loss to a few digits.
constexpr double kRidgeSelectionTolerance = 1e-4;
constexpr std::size_t kMaxSelectionIterations = 2000;
/// A fraction of a millisecond.
constexpr std::size_t kPredictionsPerPoll = 4096;

/// Below this fraction of the outcome's sum of squares, a loss is computed residual by residual.
constexpr double kRoundedLoss = 1e-8;
constexpr std::size_t kNoSplit = std::numeric_limits<std::size_t>::max();

double sum_squares_one_by_one(const Context& context, const Dataset& data, const FeatureMatrix& x,
                              std::span<const NodeIndex> nodes, double intercept,
                              std::span<const double> coefficients) {
  double total = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (n % kPredictionsPerPoll == 0) context.poll();
    const NodeIndex i = nodes[n];
    const double residual = data.outcome[i] - intercept - dot(x.row(i), coefficients);
    total += residual * residual;
  }
  return context.comm().allreduce(total);
}

/// One arm of a split: the nodes to fit on and those to compute the loss on.
struct ArmSplit {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
};

/// Σ of squared residuals of some slopes and an intercept, node by node.
using SumOneByOne = std::function<double(std::span<const double>, double)>;

/// For few columns: everything follows from the moments of both sets of nodes, except for losses so
/// small that rounding would dominate.
std::vector<double> losses_by_moments(const Context& context, const Moments& fit,
                                      const Moments& held_out, const SumOneByOne& sum_one_by_one,
                                      std::span<const double> strengths) {
  const RidgePath path(context, fit);
  const std::size_t outcome = held_out.mean.size() - 1;
  const double squares = held_out.products(outcome, outcome);
  return losses_along_path(strengths.size(), [&](std::size_t k) {
    const std::vector<double> slopes = path.find_slopes(strengths[k]);
    const double intercept = path.find_intercept(slopes);
    const double loss = sum_squared_residuals(held_out, slopes, intercept);
    if (loss > kRoundedLoss * squares) return loss;
    return sum_one_by_one(slopes, intercept);
  });
}

/// The result of losses_by_moments without access to nodes, preceded by its size. Returns whether
/// this is possible: not where losses are small or LAPACK fails; then all ranks compute it
/// together.
bool fill_losses(const Context& context, const Moments& fit, const Moments& held_out,
                 std::span<const double> strengths, std::span<double> row) {
  bool needs_nodes = false;
  std::vector<double> losses;
  try {
    losses = losses_by_moments(
        context, fit, held_out,
        [&](std::span<const double>, double) {
          needs_nodes = true;
          return 0.0;
        },
        strengths);
  } catch (const Error&) {
    return false;
  }
  row[0] = static_cast<double>(losses.size());
  std::ranges::copy(losses, row.begin() + 1);
  return !needs_nodes;
}

LinearFit fit_path(const Context& context, const Moments& moments, double strength) {
  const RidgePath path(context, moments);
  std::vector<double> slopes = path.find_slopes(strength);
  const double intercept = path.find_intercept(slopes);
  const std::size_t rank = slopes.size();
  return {
      .intercept = intercept, .coefficients = std::move(slopes), .rank = rank, .converged = true};
}

/// For many columns: each strength starts from the slopes of the one before it.
std::vector<double> losses_by_iterations(const Context& context, const Dataset& data,
                                         const FeatureMatrix& x, const ArmSplit& split,
                                         std::span<const double> strengths) {
  const CentredMatrix centred(context, x, split.fit);
  std::vector<double> y = values_at(data.outcome, split.fit);
  const double centre = mean(y, context.comm());
  for (double& value : y) value -= centre;

  std::vector<double> slopes(centred.cols(), 0.0);
  return losses_along_path(strengths.size(), [&](std::size_t k) {
    if (k > 0) {  // the first candidate is the mean
      minimise_squares(context, {centred, /*transposed=*/false}, y, strengths[k],
                       kRidgeSelectionTolerance, kMaxSelectionIterations, slopes);
    }
    const std::vector<double> coefficients = centred.expand(slopes);
    const double intercept = centre + centred.intercept_shift(slopes);
    return sum_squares_one_by_one(context, data, x, split.score, intercept, coefficients);
  });
}

/// The intercept and the slopes. Returns whether this is possible, as fill_losses does.
template <class Fit>
bool fill_fit(const Fit& find_fit, std::span<double> row) {
  try {
    const LinearFit fit = find_fit();
    row[0] = fit.intercept;
    std::ranges::copy(fit.coefficients, row.begin() + 1);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// The means of all columns and of the outcome.
std::vector<double> find_origin(const Context& context, const Dataset& data,
                                const FeatureMatrix& x) {
  std::vector<double> origin(x.cols() + 1, 0.0);
  const double n = context.comm().count(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) add_scaled(1 / n, x.row(i), origin);
  context.comm().allreduce(origin);
  origin.back() = mean(data.outcome, context.comm());
  return origin;
}

}  // namespace

RidgeSelection select_ridge_strengths(const Context& context, const Dataset& data,
                                      const ScaledFeatures& features, const FitPlan& plan) {
  // With noise variance σ² and slopes of variance τ², the best penalty is σ²/τ², and the signal is
  // τ² times the total variance of the features.
  std::vector<double> strengths = signal_grid(kLeastSignal, kMostSignal);
  for (double& value : strengths) value = features.total_variance / value;

  struct Unit {
    std::size_t task;
    std::size_t split;
    Arm arm;
  };
  std::vector<Unit> units;
  const std::size_t num_arms = data.num_arms();
  std::vector<std::vector<std::vector<double>>> losses(num_arms * plan.tasks.size());
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    for (std::size_t a = 0; a < num_arms; ++a) {
      losses[num_arms * t + a].resize(plan.tasks[t].selection.size());
      for (std::size_t s = 0; s < plan.tasks[t].selection.size(); ++s) {
        units.push_back({t, s, static_cast<Arm>(a)});
      }
    }
  }
  const FeatureMatrix& x = features.matrix;
  const auto nodes_to_fit = [&](const Unit& unit) {
    return nodes_of_arm(data, plan.tasks[unit.task].selection[unit.split].fit, unit.arm);
  };
  const auto nodes_to_score = [&](const Unit& unit) {
    return nodes_of_arm(data, plan.tasks[unit.task].selection[unit.split].score, unit.arm);
  };
  const bool by_moments = prefers_moments(context, x, strengths.size());
  std::vector<Moments> held_out(by_moments ? units.size() : 0);
  std::vector<double> origin;
  std::vector<bool> has_folds(plan.tasks.size(), false);
  if (by_moments) {
    origin = find_origin(context, data, x);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      has_folds[t] = selects_by_folds(plan.tasks[t]);
    }
    context.for_each_task("computing moments", units.size(), [&](std::size_t u) {
      held_out[u] = measure_moments(context, x, data.outcome, nodes_to_score(units[u]), origin);
    });
  }
  /// The moments of all folds but one, or of all.
  const auto merge_folds = [&](std::size_t task, Arm arm, std::size_t left_out) {
    Moments merged;
    for (std::size_t v = 0; v < units.size(); ++v) {
      if (units[v].task != task || units[v].arm != arm || units[v].split == left_out) continue;
      merged = merge_moments(merged, held_out[v]);
    }
    return merged;
  };
  const auto losses_of = [&](const Unit& unit) -> std::vector<double>& {
    return losses[num_arms * unit.task + unit.arm][unit.split];
  };
  // Paths computed from moments, which every rank has, need no nodes: one rank computes each.
  const bool is_distributed = by_moments && context.comm().has_others();
  AssignedRows assigned{{}, std::vector<bool>(units.size(), false)};
  if (is_distributed) {
    assigned = assign_rows(context.comm(), units.size(), strengths.size() + 1,
                           [&](std::size_t u, std::span<double> row) {
                             const Unit& unit = units[u];
                             if (!has_folds[unit.task]) return false;
                             const Moments fit = merge_folds(unit.task, unit.arm, unit.split);
                             if (fit.count == 0 || held_out[u].count == 0) return true;
                             return fill_losses(context, fit, held_out[u], strengths, row);
                           });
  }
  context.for_each_task("choosing the ridge penalty", units.size(), [&](std::size_t u) {
    const Unit& unit = units[u];
    std::vector<double>& of_split = losses_of(unit);
    if (assigned.is_filled[u]) {
      const auto row = std::as_const(assigned.rows).row(u);
      of_split.assign(row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(row[0]));
      return;
    }
    if (!by_moments) {
      const ArmSplit split{nodes_to_fit(unit), nodes_to_score(unit)};
      const auto is_empty = [&](const std::vector<NodeIndex>& nodes) {
        return context.comm().count(nodes.size()) == 0;
      };
      if (is_empty(split.fit) || is_empty(split.score)) return;
      of_split = losses_by_iterations(context, data, x, split, strengths);
      return;
    }
    const Moments fit = has_folds[unit.task]
                            ? merge_folds(unit.task, unit.arm, unit.split)
                            : measure_moments(context, x, data.outcome, nodes_to_fit(unit), origin);
    if (fit.count == 0 || held_out[u].count == 0) return;
    of_split = losses_by_moments(
        context, fit, held_out[u],
        [&](std::span<const double> slopes, double intercept) {
          return sum_squares_one_by_one(context, data, x, nodes_to_score(unit), intercept, slopes);
        },
        strengths);
  });

  RidgeSelection chosen;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    const std::size_t best = find_least_loss(losses[k]);
    if (best == kNoCandidate) {
      Fault fault;
      fault.what =
          fmt::format("no selection split of fold {} has {} nodes on both sides", k / num_arms + 1,
                      arm_adjective(data.arms, static_cast<Arm>(k % num_arms)));
      fault.advice = "use fewer folds or more data";
      throw Error(ErrorCode::kData, std::move(fault));
    }
    chosen.strengths.push_back(strengths[best]);
  }
  chosen.fits.resize(losses.size());
  const auto fit_all_folds = [&](std::size_t k) {
    return fit_path(context, merge_folds(k / num_arms, static_cast<Arm>(k % num_arms), kNoSplit),
                    chosen.strengths[k]);
  };
  AssignedRows fits{{}, std::vector<bool>(losses.size(), false)};
  if (is_distributed) {
    fits = assign_rows(
        context.comm(), losses.size(), x.cols() + 1, [&](std::size_t k, std::span<double> row) {
          return has_folds[k / num_arms] && fill_fit([&] { return fit_all_folds(k); }, row);
        });
  }
  context.for_each_task("fitting from moments", losses.size(), [&](std::size_t k) {
    if (!has_folds[k / num_arms]) return;
    if (!fits.is_filled[k]) {
      chosen.fits[k] = fit_all_folds(k);
      return;
    }
    const auto row = std::as_const(fits.rows).row(k);
    chosen.fits[k] = LinearFit{.intercept = row[0],
                               .coefficients = {row.begin() + 1, row.end()},
                               .rank = x.cols(),
                               .converged = true};
  });
  return chosen;
}

}  // namespace cone
