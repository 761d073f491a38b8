#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "nn/parameter_store.hpp"

namespace cone::nn {

/// The memory of a pass through an Mlp: the output of every layer, and the gradient there.
template <class Real>
struct MlpWorkspace {
  std::vector<Matrix<Real>> activations;
  std::vector<Matrix<Real>> gradients;

  MatrixView<const Real> output() const { return activations.back().view(); }
  /// To be filled with dL/d(output) before backward().
  MatrixView<Real> d_output() { return gradients.back().view(); }
};

/// Dense layers x ↦ x·W + b with ELU between them and nothing after the last. widths = inputs,
/// hidden units of each hidden layer, outputs; two widths make a linear layer. Has the ids of its
/// tensors in a store, no values.
class Mlp {
 public:
  /// Adds <name>.weight<l> (inputs × outputs) and <name>.bias<l> of layers l = 1, 2, ....
  Mlp(ParameterLayout& layout, const std::string& name, std::vector<std::size_t> widths);

  /// Xavier weights, zero biases.
  template <class Real>
  void initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const;

  /// Input: one row per sample, may be a view with a stride. O(rows · parameters).
  template <class Real>
  void forward(const Context& context, const ParameterStore<Real>& parameters,
               MatrixView<const Real> input, MlpWorkspace<Real>& workspace) const;

  /// After forward() on the same input and with workspace.d_output() filled: overwrites the
  /// gradients of this network's tensors and adds dL/d(input) to d_input, unless that is an empty
  /// view.
  template <class Real>
  void backward(const Context& context, ParameterStore<Real>& parameters,
                MatrixView<const Real> input, MlpWorkspace<Real>& workspace,
                MatrixView<Real> d_input) const;

 private:
  struct Layer {
    TensorId weight;
    TensorId bias;
  };

  std::vector<std::size_t> widths_;
  std::vector<Layer> layers_;
};

}  // namespace cone::nn
