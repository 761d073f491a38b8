#include "nuisance/logistic_learner.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/positivity_violations.hpp"
#include "nuisance/propensity_fit.hpp"

namespace cone {

Nuisances LogisticLearner::fit(const Context& context, const Dataset& data,
                               const FitPlan& plan) const {
  validate(options_);
  require_valid(plan, data.num_nodes());
  context.poll();
  require_every_arm(data, plan, context.comm());
  context.poll();
  const ScaledFeatures features =
      scale_for_penalty(data.features, options_.feature_scaling, context.comm());
  const std::vector<PropensityFit> fits =
      fit_propensities(context, features.matrix, data.treatment, data.num_arms(),
                       features.total_variance, plan.tasks);

  Matrix<double> probability(plan.scored.size(), data.num_arms(), kNaN);
  std::vector<double> strengths;
  std::vector<std::string> warnings;
  std::size_t num_weakest = 0;
  for (std::size_t t = 0; t < fits.size(); ++t) {
    context.poll();
    const LogisticFit& model = fits[t].model;
    const std::vector<std::size_t> rows = find_rows(plan.scored, plan.tasks[t].score);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      model.probabilities(features.matrix.row(plan.tasks[t].score[k]), probability.row(rows[k]));
    }
    strengths.push_back(fits[t].strength);
    if (!model.converged) {
      warnings.push_back(fmt::format("the propensity model of fold {} did not converge in {} steps",
                                     t + 1, model.iterations));
    }
    num_weakest += fits[t].has_weakest_penalty ? 1 : 0;
  }
  if (num_weakest > 0) {
    warnings.push_back(fmt::format(
        "{} of {} folds chose the weakest penalty of the grid: the features nearly determine the "
        "treatment, so overlap may be poor",
        num_weakest, plan.tasks.size()));
  }
  Nuisances out;
  out.propensity =
      bound_propensities(std::move(probability),
                         choose_propensity_bounds(data, options_.propensity_bound), data.comm());
  out.propensity->chosen_strengths = std::move(strengths);
  PositivityViolations violations = find_positivity_violations(context, data);
  out.propensity->violates_positivity = take_scored(violations, plan.scored);
  std::ranges::move(violations.sentences, std::back_inserter(warnings));
  out.propensity->warnings = std::move(warnings);
  return out;
}

}  // namespace cone
