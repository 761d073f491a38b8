#include "cone_networks/cone_learner.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "nuisance/balancer.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {

Nuisances ConeLearner::fit(const Context& context, const Dataset& data, const FitPlan& plan) const {
  std::optional<ConeFit> own;
  const ConeFit* fit = fitted_;
  if (fit == nullptr) {
    fit = &own.emplace(fit_cone(context, data, options_.plan, options_.networks));
  }
  require(canonical_text(fit->plan) == canonical_text(options_.plan) && fit->seed == context.seed(),
          "cone: fitted by another plan");
  Nuisances out = predict_cone(context, data, *fit, options_.propensity_bound);
  require(out.outcome->mu.rows() == plan.scored.size(), "cone: scored other nodes");
  if (options_.kernel) {
    const Matrix<float> all = representations(context, data, *fit);
    Matrix<float> z(plan.scored.size(), all.cols());
    for (std::size_t k = 0; k < plan.scored.size(); ++k) {
      const std::span<const float> row = all.row(plan.scored[k]);
      std::copy(row.begin(), row.end(), z.row(k).begin());
    }
    std::vector<std::vector<std::size_t>> groups;
    for (const FitTask& task : plan.tasks) groups.push_back(find_rows(plan.scored, task.score));
    out.balancer = std::make_shared<Balancer>(
        balance_representations(context, take_sample(data, plan.scored), std::as_const(z).view(),
                                std::move(groups), *options_.kernel));
  }
  return out;
}

}  // namespace cone
