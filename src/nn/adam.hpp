#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"

#include "nn/parameter_store.hpp"

namespace cone::nn {

struct AdamOptions {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  /// Decoupled (AdamW; Loshchilov and Hutter 2019, "Decoupled weight decay regularization"): a step
  /// first multiplies every weight by 1 − learning_rate · weight_decay; biases do not decay.
  double weight_decay = 0;
  /// Where positive, the largest Euclidean norm of the gradient of all parameters together: a
  /// larger one is scaled down to it.
  double clip_gradient = 0;
};

/// Adam (Kingma and Ba 2015, "Adam: a method for stochastic optimization") with bias correction on
/// one parameter store. Element-wise except for the norm for clipping, which is reduced in fixed
/// blocks.
template <class Real>
class Adam {
 public:
  Adam(const AdamOptions& options, std::size_t num_parameters)
      : options_(options), first_moment_(num_parameters), second_moment_(num_parameters) {}

  void step(const Context& context, ParameterStore<Real>& parameters);

 private:
  AdamOptions options_;
  std::vector<Real> first_moment_;
  std::vector<Real> second_moment_;
  std::uint64_t num_steps_ = 0;
};

/// The Euclidean norm of all gradients together.
template <class Real>
double gradient_norm(const Context& context, const ParameterStore<Real>& parameters);

}  // namespace cone::nn
