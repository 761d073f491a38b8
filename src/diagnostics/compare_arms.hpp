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
  std::string of;                 ///< see ColumnBalance
  std::vector<double> values;     ///< one per row
  std::vector<std::size_t> rows;  ///< of the sample
};

/// One per arm; empty for a constant column.
using BalanceByArm = std::vector<ColumnBalance>;

/// Standardised mean difference between every arm a and all nodes, unweighted and with weights 1/e;
/// the standard error of the second is √(Σ w²·(1 − e)·(x − x̄_a)²) / Σ w. `e`: sample × arms. Over
/// all ranks, in four reductions for all columns together. O(values · arms).
std::vector<BalanceByArm> compare_arms(const Context& context,
                                       const std::vector<SampleColumn>& columns,
                                       const LoggedSample& sample, MatrixView<const double> e);

}  // namespace cone
