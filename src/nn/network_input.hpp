#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "nn/training_features.hpp"

namespace cone {

/// The input of the first layer of a network: rows × inputs, dense or sparse.
class NetworkInput {
 public:
  virtual ~NetworkInput() = default;
  virtual std::size_t rows() const = 0;
  /// out = X·W
  virtual void times(const Context& context, MatrixView<const float> weight,
                     MatrixView<float> out) const = 0;
  /// out = X'·D
  virtual void transposed_times(const Context& context, MatrixView<const float> d,
                                MatrixView<float> out) const = 0;
};

class DenseInput : public NetworkInput {
 public:
  explicit DenseInput(Matrix<float> x) : x_(std::move(x)) {}
  std::size_t rows() const override { return x_.rows(); }
  void times(const Context& context, MatrixView<const float> weight,
             MatrixView<float> out) const override;
  void transposed_times(const Context& context, MatrixView<const float> d,
                        MatrixView<float> out) const override;

 private:
  Matrix<float> x_;
};

/// Some rows of a sparse matrix.
class SparseInput : public NetworkInput {
 public:
  SparseInput(const SparseMatrix& x, std::span<const NodeIndex> nodes)
      : x_(x.select_rows(nodes)), features_(x_) {}
  SparseInput(const SparseInput&) = delete;  // features_ refers to x_
  SparseInput& operator=(const SparseInput&) = delete;

  std::size_t rows() const override { return x_.rows(); }
  void times(const Context& context, MatrixView<const float> weight,
             MatrixView<float> out) const override;
  void transposed_times(const Context& context, MatrixView<const float> d,
                        MatrixView<float> out) const override;

 private:
  SparseMatrix x_;
  TrainingFeatures<float> features_;
};

}  // namespace cone
