#include "network_ridge/ridge_cost.hpp"

#include <algorithm>
#include <cmath>

#include "network_ridge/curve_features.hpp"
#include "network_ridge/low_rank_solver.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/smooth_features.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone {
namespace {

// Seconds on one core.
constexpr double kPerInverse = 3e-11;       // times nodes³: a factor and its inverse
constexpr double kPerKernelEntry = 1e-8;    // times nodes², per group: the rest of a step
constexpr double kPerDenseEntry = 8.5e-10;  // times nodes², per right-hand side
constexpr double kPerFactorEntry = 1e-9;    // times nodes · rank²: the preconditioner
constexpr double kPerIteratedEntry = 3e-9;  // per entry, right-hand side and iteration
constexpr double kPerIteratedRow = 2e-7;    // per node, right-hand side and iteration
constexpr double kPerProduct = 1e-10;       // of two features at a node
constexpr double kPerSmoothEntry = 9e-10;   // times nodes · features²: those of the smooth group
// Typical numbers.
constexpr double kSteps = 10;  // of the search for variances
constexpr double kRank = 256;  // of the preconditioner
constexpr double kIterations = 40;

/// Own features of data without a network: numeric features, their curves, and the smooth ones.
double count_own_features(const FitSize& size) {
  const double curves_of_column = std::clamp(
      static_cast<double>(kMostCurveFeaturesInAll) / std::max(1.0, size.columns),
      static_cast<double>(kFewestCurveFeatures), static_cast<double>(kMostCurveFeatures));
  return (1 + curves_of_column) * size.columns + static_cast<double>(kMostSmoothFeatures);
}

/// Mirrors choose_method() by what is known of the data before their groups are listed.
RidgeMethod expect_method(const FitSize& size, const NetworkRidgeOptions& options,
                          std::size_t most_nodes = 0) {
  if (options.ridge_solver == RidgeSolverChoice::kDense) return RidgeMethod::kDense;
  if (options.ridge_solver == RidgeSolverChoice::kIterative) return RidgeMethod::kIterative;
  const double features = count_own_features(size);
  if (options.ridge_criterion == RidgeCriterion::kLikelihood && size.directed_edges == 0 &&
      features <= static_cast<double>(LowRankSolver::kMostFeatures) && features < size.nodes / 2) {
    return RidgeMethod::kLowRank;
  }
  return is_small_arm(static_cast<std::size_t>(size.largest_arm), most_nodes)
             ? RidgeMethod::kDense
             : RidgeMethod::kIterative;
}

/// Factor, inverse and kernel sums of one arm.
double inverse_seconds(const FitSize& size, double nodes) {
  constexpr double kGroupsOfFeatures = 3;
  constexpr double kGroupsWithNetwork = 8;
  const double groups = size.directed_edges > 0 ? kGroupsWithNetwork : kGroupsOfFeatures;
  return kPerInverse * nodes * nodes * nodes + kPerKernelEntry * groups * nodes * nodes;
}

/// Σ of cost(nodes) over the arms.
template <class Cost>
double over_arms(const FitSize& size, const Cost& cost) {
  const double others = std::max(1.0, size.arms - 1);
  const double rest = (size.nodes - size.largest_arm) / others;
  return cost(size.largest_arm) + (size.arms > 1 ? others * cost(rest) : 0);
}

/// For `columns` right-hand sides, on one thread.
double solve_seconds(const FitSize& size, RidgeMethod method, double columns) {
  const double products = size.entries + size.directed_edges;
  switch (method) {
    case RidgeMethod::kDense:
      return columns * (kPerDenseEntry * over_arms(size, [](double m) { return m * m; }) +
                        kPerIteratedEntry * products);
    case RidgeMethod::kLowRank:
      return columns * kPerDenseEntry * 4 * size.nodes * count_own_features(size);
    case RidgeMethod::kIterative:
      break;
  }
  return columns * kIterations * (kPerIteratedEntry * products + kPerIteratedRow * size.nodes);
}

}  // namespace

RidgeCost expect_ridge_cost(const FitSize& size, const NetworkRidgeOptions& options,
                            const RidgeWork& work) {
  const RidgeMethod method = expect_method(size, options, work.most_nodes);
  const bool is_dense = method == RidgeMethod::kDense;
  const bool once = options.ridge_variances == VarianceFits::kOnce;
  const double fits = once ? 1 : size.folds;
  const double features = count_own_features(size);
  RidgeCost out;
  if (method == RidgeMethod::kLowRank) {
    // Products of features over the nodes, then steps and one factor per fold on these.
    const double factor = size.arms * inverse_seconds(size, features);
    const double steps = work.knows_variances ? 0 : kSteps;
    out.variances = fits * (kPerProduct * size.nodes * features * features + steps * factor);
    out.equations = size.folds * factor;
  } else {
    if (!work.knows_variances) {
      out.variances = fits * over_arms(size, [&](double m) {
                        const auto nodes = static_cast<double>(choose_sample_size(
                            static_cast<std::size_t>(m), is_dense, work.most_nodes));
                        return kSteps * inverse_seconds(size, nodes);
                      });
    }
    out.equations =
        fits * (is_dense ? over_arms(size, [&](double m) { return inverse_seconds(size, m); })
                         : kPerFactorEntry * size.nodes * kRank * kRank);
  }
  if (size.columns > 0) {
    const double smooth = std::min(size.nodes, static_cast<double>(kMostSmoothFeatures));
    out.variances += kPerSmoothEntry * size.nodes * smooth * smooth;
  }
  out.predictions = solve_seconds(size, method, size.folds * (1 + work.num_policies));
  out.variances /= size.threads;
  out.equations /= size.threads;
  out.predictions /= size.threads;
  return out;
}

double treatment_ridge_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                               bool sees_network) {
  const TreatmentFit fit = plan_treatment_fit(options, static_cast<std::uint64_t>(size.nodes),
                                              static_cast<std::size_t>(size.arms));
  FitSize asked = sees_network ? size : size.without_network();
  asked.arms = 1;
  asked.largest_arm = size.nodes;
  const double fits = size.arms == 2 ? 1 : size.arms;
  return fits * expect_ridge_cost(asked, fit.options, {.most_nodes = fit.most_nodes}).total();
}

double effect_deviation_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                                double draws) {
  const RidgeMethod method = expect_method(size, options);
  if (method == RidgeMethod::kLowRank) {
    const double features = count_own_features(size);
    return kPerProduct * size.arms * size.nodes * features * features / size.threads;
  }
  // As in estimate_effects(): dense factors solve one column per node.
  const double columns = method == RidgeMethod::kDense ? size.nodes : draws * size.folds;
  return solve_seconds(size, method, columns) / size.threads;
}

}  // namespace cone
