#include "cone_networks/cone_learner.hpp"

#include <memory>
#include <utility>

#include "cone/error.hpp"

#include "nuisance/balancer.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/positivity_violations.hpp"

namespace cone {

Nuisances ConeLearner::fit(const Context& context, const Dataset& data, const FitPlan& plan) const {
  if (fitted_ == nullptr) {
    validate(options_.networks);
    ConeFit own;
    ConeFit& fit = kept_ != nullptr ? *kept_ : own;
    fit = fit_cone(context, data, options_.plan, plan, options_.networks);
    return predict(context, data, plan, fit.folds, fit.z);
  }
  require(canonical_text(fitted_->plan) == canonical_text(options_.plan) &&
              fitted_->seed == context.seed() && fitted_->folds.size() == plan.tasks.size(),
          "cone: the fit is not of this plan");
  require_data_of(*fitted_, data);
  if (fitted_->z.rows() > 0) return predict(context, data, plan, fitted_->folds, fitted_->z);
  return predict(context, data, plan, fitted_->folds,
                 encode_scored_nodes(context, data, plan, *fitted_));
}

Nuisances ConeLearner::predict(const Context& context, const Dataset& data, const FitPlan& plan,
                               std::span<const ConeFold> folds, const Matrix<float>& z) const {
  Nuisances out = predict_cone(context, data, plan, folds, z, options_.propensity_bound);
  out.propensity->violates_positivity =
      take_scored(find_positivity_violations(context, data), plan.scored);
  if (options_.kernel) {
    std::vector<std::vector<std::size_t>> groups;
    for (const FitTask& task : plan.tasks) groups.push_back(find_rows(plan.scored, task.score));
    out.balancer = std::make_shared<KernelBalancer>(balance_representations(
        context, take_sample(data, plan.scored), z.view(), std::move(groups), *options_.kernel));
  }
  return out;
}

}  // namespace cone
