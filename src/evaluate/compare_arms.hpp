#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// Values of some nodes of a sample.
struct SampleColumn {
  std::string name;
  std::string of;                   ///< see ColumnBalance
  std::vector<double> values;       ///< one per place
  std::vector<std::size_t> places;  ///< in the sample
};

/// One per arm; empty where the values are all the same.
using BalanceByArm = std::vector<ColumnBalance>;

/// How far the mean x̄_a of every arm a is from that of all nodes, in their standard deviations,
/// as it is and with weights 1/e; the error of the second is
/// √(Σ w²·(1 − e)·(x − x̄_a)²) / Σ w. `e`: sample × arms. Over all processes that share the sample,
/// in four messages for all columns together. O(values · arms).
std::vector<BalanceByArm> compare_arms(const Context& context,
                                       const std::vector<SampleColumn>& columns,
                                       const LoggedSample& sample, MatrixView<const double> e);

}  // namespace cone
