#include "nuisance/ridge_selection.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/numeric.hpp"
#include "linear/conjugate_gradients.hpp"
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

std::vector<double> selection_losses(const Context& context, const Dataset& data,
                                     const FeatureMatrix& x, const SelectionSplit& split, Arm arm,
                                     std::span<const double> strengths) {
  const std::vector<NodeIndex> fit = nodes_of_arm(data, split.fit, arm);
  const std::vector<NodeIndex> score = nodes_of_arm(data, split.score, arm);
  if (fit.empty() || score.empty()) return {};
  const CentredMatrix centred(context, x.select_rows(fit));
  std::vector<double> y = values_at(data.outcome, fit);
  const double centre = mean(y);
  for (double& value : y) value -= centre;

  std::vector<double> slopes(centred.cols(), 0.0);
  return losses_along_path(strengths.size(), [&](std::size_t k) {
    if (k > 0) {  // the first candidate is the mean
      minimise_squares(context, {centred, /*transposed=*/false}, y, strengths[k],
                       kRidgeSelectionTolerance, kMaxSelectionIterations, slopes);
    }
    const std::vector<double> coefficients = centred.expand(slopes);
    const double intercept = centre + centred.intercept_shift(slopes);
    double loss = 0;
    for (std::size_t n = 0; n < score.size(); ++n) {
      if (n % kPredictionsPerPoll == 0) context.poll();
      const NodeIndex i = score[n];
      const double residual = data.outcome[i] - intercept - dot(x.row(i), coefficients);
      loss += residual * residual;
    }
    return loss;
  });
}

}  // namespace

std::vector<double> select_ridge_strengths(const Context& context, const Dataset& data,
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
  context.for_each_task("choosing the ridge penalty", units.size(), [&](std::size_t u) {
    const auto [t, s, arm] = units[u];
    losses[num_arms * t + arm][s] = selection_losses(context, data, features.matrix,
                                                     plan.tasks[t].selection[s], arm, strengths);
  });

  std::vector<double> chosen;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    const std::size_t best = best_candidate(losses[k]);
    if (best == kNoCandidate) {
      Fault fault;
      fault.what =
          fmt::format("no selection split of fold {} has {} nodes on both sides", k / num_arms + 1,
                      arm_adjective(data.arms, static_cast<Arm>(k % num_arms)));
      fault.advice = "use fewer folds or more data";
      throw Error(ErrorCode::kData, std::move(fault));
    }
    chosen.push_back(strengths[best]);
  }
  return chosen;
}

}  // namespace cone
