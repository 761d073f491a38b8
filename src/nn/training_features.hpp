#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "nn/dropout.hpp"
#include "ops/sparse.hpp"

namespace cone {

/// Features by rows for the forward pass and transposed for the backward pass.
template <class Real>
struct FeatureViews {
  ops::SparseView<Real> by_row;
  ops::SparseView<Real> by_column;
};

/// The memory of the features after dropout.
template <class Real>
struct DroppedFeatures {
  std::vector<Real> by_row;
  std::vector<Real> by_column;
};

/// The features in the precision of the training. Refers to the matrix it was built from, and is
/// immutable: several trainings may share it.
template <class Real>
class TrainingFeatures {
 public:
  explicit TrainingFeatures(const SparseMatrix& features);

  std::size_t num_nodes() const { return pattern_.rows(); }
  std::size_t num_features() const { return pattern_.cols(); }

  FeatureViews<Real> whole() const { return views(values_, values_by_column_); }
  /// The features after dropout (the mask of layer 0), stored in `memory`. O(entries).
  FeatureViews<Real> drop(const Context& context, const nn::Dropout& dropout,
                          DroppedFeatures<Real>& memory) const;

 private:
  FeatureViews<Real> views(std::span<const Real> by_row, std::span<const Real> by_column) const;

  const SparseMatrix& pattern_;
  std::vector<std::uint64_t> column_offsets_;
  std::vector<std::uint32_t> column_rows_;
  std::vector<std::uint64_t> column_entries_;  // index of each transposed entry in row order
  std::vector<Real> values_;
  std::vector<Real> values_by_column_;
};

}  // namespace cone
