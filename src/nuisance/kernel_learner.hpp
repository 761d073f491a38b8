#pragma once

#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"

namespace cone {

/// Kernel balancing weights on the features of the scored nodes (Kallus 2018, Balanced policy
/// evaluation and learning).
class KernelLearner : public Learner {
 public:
  explicit KernelLearner(const KernelBalancingOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  KernelBalancingOptions options_;
};

}  // namespace cone
