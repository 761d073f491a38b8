#pragma once

#include <cstdint>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "data/column_units.hpp"

namespace cone {

/// The features with the largest imbalance between the arms before weighting, and their values.
class BalanceColumns {
 public:
  /// At most `most_dense` numeric and `most_counts` count features, those with the largest
  /// standardised mean difference between some arm of the sample and all nodes. Nodes of the sample
  /// are rows of the features; over all ranks. O(entries + columns · arms).
  BalanceColumns(const FeatureTable& features, const LoggedSample& sample, std::size_t most_dense,
                 std::size_t most_counts);

  std::size_t size() const { return chosen_.size(); }
  const std::string& name(std::size_t k) const { return features_.names[chosen_[k]]; }
  /// One row per node of the data, in standard deviations from the mean.
  Matrix<double> values(std::size_t k) const;

 private:
  const FeatureTable& features_;
  std::vector<ColumnUnit> units_;      // of every column
  std::vector<std::uint32_t> chosen_;  // columns of the table
  struct Entry {
    NodeIndex node;
    double value;
  };
  std::vector<std::vector<Entry>> entries_;  // of the chosen columns that are stored sparsely
};

}  // namespace cone
