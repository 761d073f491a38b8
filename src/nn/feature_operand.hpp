#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sparse_matrix.hpp"
#include "exec/context.hpp"
#include "nn/dropout.hpp"
#include "ops/sparse.hpp"

namespace cone {

/// The features in the precision of the training, by rows for the forward pass and transposed for
/// the backward pass, with or without the dropout of an epoch. Refers to the matrix it was made of.
template <class Real>
class FeatureOperand {
 public:
  /// The pattern of `features` with `values` for its entries.
  FeatureOperand(const SparseMatrix& features, std::span<const double> values);

  std::size_t num_nodes() const { return pattern_.rows(); }
  std::size_t num_features() const { return pattern_.cols(); }
  ops::SparseView<Real> by_row() const;
  ops::SparseView<Real> by_column() const;

  /// Puts the dropout's mask (of layer 0) on both views. O(entries).
  void drop(const Context& context, const nn::Dropout& dropout);
  /// Back to the whole features.
  void restore() { is_dropped_ = false; }

 private:
  const SparseMatrix& pattern_;
  std::vector<std::uint64_t> column_offsets_;
  std::vector<std::uint32_t> column_rows_;
  std::vector<std::uint64_t> column_entries_;  // place of each transposed entry in the row order
  std::vector<Real> values_;
  std::vector<Real> values_by_column_;
  std::vector<Real> dropped_;
  std::vector<Real> dropped_by_column_;
  bool is_dropped_ = false;
};

}  // namespace cone
