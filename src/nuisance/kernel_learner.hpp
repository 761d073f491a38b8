#pragma once

#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "balance/kernel_balancing.hpp"

namespace cone {

/// Learns how alike the scored nodes are by their features, for weights by kernel balancing.
class KernelLearner : public Learner {
 public:
  explicit KernelLearner(const KernelBalancingOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  KernelBalancingOptions options_;
};

}  // namespace cone
