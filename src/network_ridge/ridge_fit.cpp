#include "network_ridge/ridge_fit.hpp"

#include <utility>

#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_learner.hpp"

namespace cone {

RidgeFit fit_network_ridge(const Context& context, const Dataset& data,
                           const PlanOptions& plan_options, const NetworkRidgeOptions& options) {
  validate(plan_options);
  const FitPlan plan = make_plan(context, data, plan_options, context.seed());
  NetworkRidge model =
      learn_network_ridge(context, data, plan, options, {.prepares_solver = false});
  RidgeFit fit{.plan = plan_options,
               .options = options,
               .seed = context.seed(),
               .data_checksum = data.checksum(),
               .arms = data.arms};
  for (const RidgeGroup& group : model.parts.front()->system.groups) {
    fit.groups.push_back(group.kind);
  }
  for (const auto& part : model.parts) {
    fit.parts.push_back(std::move(part->system.arms));
  }
  return fit;
}

NetworkRidgeSummary summarise_fit(const RidgeFit& fit) {
  NetworkRidgeSummary out;
  out.undersmoothing = fit.options.undersmoothing;
  for (const std::vector<ArmModel>& part : fit.parts) {
    for (std::size_t a = 0; a < part.size(); ++a) {
      out.arms.push_back(describe_variances(fit.arms[a], fit.groups, part[a]));
    }
  }
  return out;
}

}  // namespace cone
