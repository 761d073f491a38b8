#pragma once

#include <algorithm>
#include <vector>

#include "cone/context.hpp"

#include "nn/adam.hpp"
#include "nn/parameter_store.hpp"

namespace cone::nn {

/// Adam on a parameter store, and a copy of the saved weights: common to all steppers on the CPU.
/// Context and store must outlive it.
template <class Real>
class AdamRun {
 public:
  AdamRun(const Context& context, const AdamOptions& options, ParameterStore<Real>& parameters)
      : context_(context), parameters_(parameters), adam_(options, parameters.size()) {}

  /// One step with the gradients in the store.
  void step() { adam_.step(context_, parameters_); }
  void keep_weights() { kept_.assign(parameters_.values().begin(), parameters_.values().end()); }
  void restore_weights() { std::copy(kept_.begin(), kept_.end(), parameters_.values().begin()); }

 private:
  const Context& context_;
  ParameterStore<Real>& parameters_;
  Adam<Real> adam_;
  std::vector<Real> kept_;
};

}  // namespace cone::nn
