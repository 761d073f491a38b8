#include "nn/parameter_store.hpp"

#include <utility>

namespace cone::nn {

TensorId ParameterLayout::add_weight(std::string name, std::size_t rows, std::size_t cols) {
  return add(std::move(name), rows, cols, /*is_bias=*/false);
}

TensorId ParameterLayout::add_bias(std::string name, std::size_t size) {
  return add(std::move(name), 1, size, /*is_bias=*/true);
}

TensorId ParameterLayout::add(std::string name, std::size_t rows, std::size_t cols, bool is_bias) {
  tensors_.push_back({std::move(name), rows, cols, is_bias, size_});
  size_ += rows * cols;
  return tensors_.size() - 1;
}

}  // namespace cone::nn
