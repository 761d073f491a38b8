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
  /// Decoupled (Loshchilov and Hutter 2019): a step first takes learning_rate · weight_decay of
  /// every weight away; biases are left alone.
  double weight_decay = 0;
  /// Where positive, a gradient (of all parameters together) that is longer is scaled to this
  /// Euclidean length.
  double clip_gradient = 0;
};

/// Adam (Kingma and Ba 2015) with bias correction over the whole of one parameter store.
/// Element-wise apart from the norm for clipping, which is reduced in fixed blocks.
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

/// The Euclidean length of all gradients together.
template <class Real>
double gradient_norm(const Context& context, const ParameterStore<Real>& parameters);

}  // namespace cone::nn
