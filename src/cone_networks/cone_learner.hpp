#pragma once

#include "balance/kernel_balancing.hpp"
#include "cone_networks/cone_fit.hpp"
#include "nuisance/learner.hpp"

namespace cone {

struct ConeLearnerOptions {
  PlanOptions plan;  ///< that the plan given to fit() was made of
  ConeOptions networks;
  double propensity_bound = 0.01;
  /// Also balances the nodes by their representations, by these options.
  std::optional<KernelBalancingOptions> kernel;
};

/// Learns outcomes and propensities by CONE's networks.
class ConeLearner : public Learner {
 public:
  /// `fitted`: networks to use instead of fitting anew; must outlive the learner.
  explicit ConeLearner(ConeLearnerOptions options, const ConeFit* fitted = nullptr)
      : options_(std::move(options)), fitted_(fitted) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  ConeLearnerOptions options_;
  const ConeFit* fitted_;
};

}  // namespace cone
