#pragma once

#include <cstdint>
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
  std::vector<double> cost;   ///< mean costs; zeros where nothing costs
  /// Of the values. Rows and columns of values without a valid error are NaN.
  Matrix<double> covariance;
  double level = 0.95;
};

/// Gains, areas and their errors: all of them are sums of the values with known weights.
BudgetCurve describe_curve(const BudgetValues& values, std::uint64_t seed);

/// What the gains would truly have been, on the nodes of the sample.
void add_true_gains(const Truth& truth, const LoggedSample& sample, const Ranking& ranking,
                    BudgetCurve& curve);

/// How much the ranking goes together with what the outcome model leaves: the t statistic of
/// position · residual, the residual with the sign that makes treating better. A ranking that was
/// learnt from the same outcomes has a large one. 0 where nothing can be said.
double measure_foresight(const Ranking& ranking, std::span<const Arm> arm,
                         std::span<const double> residual);

}  // namespace cone
