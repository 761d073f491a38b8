#include "nuisance/kernel_learner.hpp"

#include <memory>

#include "nuisance/balancer.hpp"

namespace cone {

Nuisances KernelLearner::fit(const Context& context, const Dataset& data,
                             const FitPlan& plan) const {
  Nuisances out;
  out.balancer =
      std::make_shared<KernelBalancer>(balance_features(context, data, plan.scored, options_));
  return out;
}

}  // namespace cone
