#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/record.hpp"

#include "data/arm_costs.hpp"
#include "evaluate/ranking.hpp"

namespace cone {

/// Values of treating growing shares of the units, from 0 to 1 in equal steps.
struct BudgetValues {
  std::vector<double> gross;  ///< values
  std::vector<double> cost;   ///< mean costs; zeros without costs
  /// Of the values. Rows and columns of values without a valid error are NaN.
  Matrix<double> covariance;
  /// Under independent units: no contrast has a smaller error. Empty where a dependence was asked
  /// for.
  Matrix<double> least_covariance = {};
  std::vector<Alternatives> alternatives = {};  ///< of the values; empty: none
  double level = 0.95;
  bool lower_is_better = false;
  /// Of every interval: the fewest of all values and gains.
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
};

/// Gains, areas and their standard errors, all linear contrasts of the values: Qini coefficient
/// (Radcliffe 2007, Using control groups to target on predicted lift) and AUTOC (Yadlowsky,
/// Fleming, Shah, Brunskill and Wager 2021, Evaluating treatment prioritization rules via
/// rank-weighted average treatment effects).
BudgetCurve describe_curve(const BudgetValues& values, std::uint64_t seed);

/// The areas as linear contrasts of the values from no unit to all units, `last` steps: one weight
/// per value. By the trapezoidal rule; the curve meets the line of random assignment at both ends,
/// and before the first point, where AUTOC's ratio is undefined, it has the value of that point.
std::vector<double> qini_contrast(std::size_t last);
std::vector<double> autoc_contrast(std::size_t last);

/// True gains on the nodes of the sample, where potential outcomes are known: nodes × arms.
/// Collective.
void add_true_gains(MatrixView<const double> outcomes, const LoggedSample& sample,
                    const Ranking& ranking, BudgetCurve& curve);

/// Association of the ranking with the residuals of the outcome model: the t statistic of
/// position · residual, signed so that a positive one favours treatment. A ranking that was learnt
/// from the same outcomes has a large one. 0 without any variance. Collective.
double ranking_residual_statistic(const Ranking& ranking, const LoggedSample& sample,
                                  std::span<const double> residual);

}  // namespace cone
