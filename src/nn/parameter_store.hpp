#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cone/matrix.hpp"

namespace cone::nn {

using TensorId = std::size_t;

/// A named rows × cols block of a parameter store.
struct Tensor {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  bool is_bias = false;  ///< biases are not subject to weight decay
  std::size_t offset = 0;

  std::size_t size() const { return rows * cols; }
};

/// The tensors of a model, in order. Layers add theirs on construction and keep the ids; nothing is
/// allocated, so the shape of a model can be checked before memory is allocated.
class ParameterLayout {
 public:
  TensorId add_weight(std::string name, std::size_t rows, std::size_t cols);
  TensorId add_bias(std::string name, std::size_t size);

  std::span<const Tensor> tensors() const { return tensors_; }
  /// Numbers in all tensors together.
  std::size_t size() const { return size_; }

 private:
  TensorId add(std::string name, std::size_t rows, std::size_t cols, bool is_bias);

  std::vector<Tensor> tensors_;
  std::size_t size_ = 0;
};

/// All parameters of a model in one block, and their gradients in a second one of the same layout:
/// an optimiser, a checkpoint or a norm that iterates over the block cannot miss a layer. Zero on
/// construction. A trained model may drop its gradients: gradients() is empty then, and gradient()
/// must not be called.
template <class Real>
class ParameterStore {
 public:
  ParameterStore() = default;
  explicit ParameterStore(ParameterLayout layout)
      : layout_(std::move(layout)), values_(layout_.size()), gradients_(layout_.size()) {}

  const ParameterLayout& layout() const { return layout_; }
  std::size_t size() const { return values_.size(); }

  std::span<Real> values() { return values_; }
  std::span<const Real> values() const { return values_; }
  std::span<Real> gradients() { return gradients_; }
  std::span<const Real> gradients() const { return gradients_; }

  void drop_gradients() { gradients_ = {}; }
  /// A copy without gradients.
  ParameterStore without_gradients() const {
    ParameterStore copy;
    copy.layout_ = layout_;
    copy.values_ = values_;
    return copy;
  }
  /// Allocates gradients that were dropped, as zeros.
  void restore_gradients() { gradients_.resize(values_.size()); }

  MatrixView<Real> value(TensorId id) { return view(values_.data(), id); }
  MatrixView<const Real> value(TensorId id) const { return view(values_.data(), id); }
  MatrixView<Real> gradient(TensorId id) { return view(gradients_.data(), id); }
  MatrixView<const Real> gradient(TensorId id) const { return view(gradients_.data(), id); }

 private:
  template <class T>
  MatrixView<T> view(T* data, TensorId id) const {
    const Tensor& tensor = layout_.tensors()[id];
    return {data + tensor.offset, tensor.rows, tensor.cols};
  }

  ParameterLayout layout_;
  std::vector<Real> values_;
  std::vector<Real> gradients_;
};

}  // namespace cone::nn
