#pragma once

#include "nuisance/fit_plan.hpp"
#include "nuisance/nuisances.hpp"

namespace cone {

/// Learns nuisances from a log: one class per way of learning, one row in learners.cpp.
///
/// The tables have one row per scored node of the plan, in its order. A node's row comes from a
/// task that saw neither its treatment nor its outcome. No policy is known here. Throws
/// Error(kData) where the log does not allow a fit, and Cancelled when the observer asks to stop.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const = 0;
};

}  // namespace cone
