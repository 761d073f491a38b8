#include "nn/adam.hpp"

#include <algorithm>
#include <cmath>

namespace cone::nn {
namespace {

constexpr std::size_t kGrain = 16384;

/// The constants of a step.
template <class Real>
struct StepFactors {
  Real gradient_scale;
  Real beta1;
  Real beta2;
  Real rate;           // learning rate divided by the bias correction of the first moment
  Real second_factor;  // inverse of the bias correction of the second moment
  Real epsilon;
};

template <class Real>
void update(const StepFactors<Real>& f, std::size_t count, Real keep, const Real* gradient,
            Real* first, Real* second, Real* value) {
  for (std::size_t i = 0; i < count; ++i) {
    const Real g = f.gradient_scale * gradient[i];
    first[i] = f.beta1 * first[i] + (1 - f.beta1) * g;
    second[i] = f.beta2 * second[i] + (1 - f.beta2) * g * g;
    value[i] =
        keep * value[i] - f.rate * first[i] / (std::sqrt(f.second_factor * second[i]) + f.epsilon);
  }
}

}  // namespace

template <class Real>
void Adam<Real>::step(const Context& context, ParameterStore<Real>& parameters) {
  ++num_steps_;
  double gradient_scale = 1;
  if (options_.clip_gradient > 0) {
    const double norm = gradient_norm(context, parameters);
    if (norm > options_.clip_gradient) gradient_scale = options_.clip_gradient / norm;
  }
  const auto steps = static_cast<double>(num_steps_);
  const StepFactors<Real> factors = {
      .gradient_scale = static_cast<Real>(gradient_scale),
      .beta1 = static_cast<Real>(options_.beta1),
      .beta2 = static_cast<Real>(options_.beta2),
      .rate = static_cast<Real>(options_.learning_rate / (1 - std::pow(options_.beta1, steps))),
      .second_factor = static_cast<Real>(1 / (1 - std::pow(options_.beta2, steps))),
      .epsilon = static_cast<Real>(options_.epsilon)};
  const auto keep_weight = static_cast<Real>(1 - options_.learning_rate * options_.weight_decay);
  for (const Tensor& tensor : parameters.layout().tensors()) {
    context.for_each_range(tensor.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = tensor.offset + begin;
      update(factors, end - begin, tensor.is_bias ? Real{1} : keep_weight,
             parameters.gradients().data() + first, first_moment_.data() + first,
             second_moment_.data() + first, parameters.values().data() + first);
    });
  }
}

template <class Real>
double gradient_norm(const Context& context, const ParameterStore<Real>& parameters) {
  const std::span<const Real> gradients = parameters.gradients();
  const auto squares =
      context.map_ranges<double>(gradients.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        double total = 0;
        for (std::size_t i = begin; i < end; ++i) {
          total += static_cast<double>(gradients[i]) * gradients[i];
        }
        return total;
      });
  double total = 0;
  for (const double square : squares) total += square;
  return std::sqrt(total);
}

template class Adam<float>;
template class Adam<double>;
template double gradient_norm(const Context&, const ParameterStore<float>&);
template double gradient_norm(const Context&, const ParameterStore<double>&);

}  // namespace cone::nn
