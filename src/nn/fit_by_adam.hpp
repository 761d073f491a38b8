#pragma once

#include <cstdint>
#include <functional>

#include "exec/context.hpp"
#include "nn/adam.hpp"
#include "nn/parameter_store.hpp"

namespace cone::nn {

struct FitSchedule {
  AdamOptions adam;
  std::uint32_t epochs = 300;
  std::uint32_t patience = 30;
};

/// What a network of one loss needs to be fitted.
struct FitProblem {
  /// The loss of the current parameters; leaves its gradients in the store.
  std::function<double()> loss;
  /// The loss on held-out samples; none where there are no such samples.
  std::function<double()> held_out_loss;
};

struct FitOutcome {
  double loss;            ///< held-out loss of the parameters that are left, or their loss
  bool diverged = false;  ///< whether a loss that is not finite ended the training
};

/// Full-batch Adam until the epochs are over or the held-out loss has not improved for `patience`
/// epochs. Leaves the parameters with the least held-out loss in the store (without held-out
/// samples, the last ones); those before a loss that is not finite, where one appears. Reports
/// every epoch, and throws Cancelled when asked to stop.
template <class Real>
FitOutcome fit_by_adam(const Context& context, const FitSchedule& schedule,
                       const FitProblem& problem, ParameterStore<Real>& parameters);

}  // namespace cone::nn
