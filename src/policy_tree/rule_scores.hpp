#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/learn_policy.hpp"
#include "cone/matrix.hpp"

#include "data/arm_costs.hpp"
#include "nuisance/fit_cost.hpp"

namespace cone {

/// Doubly robust (AIPW) scores of the nodes that a plan scores, net of costs (plus them where lower
/// is better), and their nuisances.
/// Robins, Rotnitzky and Zhao, 1994, Estimation of regression coefficients when some regressors are
/// not always observed; Dudík, Langford and Li, 2011, Doubly robust policy evaluation and learning.
struct RuleScores {
  LoggedSample sample;
  OutcomeTable outcome;
  PropensityTable propensity;
  Matrix<double> scores;  ///< sample × arms
  Matrix<double> costs;   ///< sample × arms
};

/// Of the nodes of `data` that the plan scores, by models fitted to `part`: the own nodes of
/// distributed data, whose root has `data` and gets the scores; else the same. `most_nodes`: of an
/// arm to estimate the network ridge's variances from (VarianceSource); 0: the default of the
/// network ridge. Throws Error(kData) where a logged arm has the given propensity 0, and what
/// learners throw. Collective.
RuleScores make_scores(const Context& context, const Dataset& data, const Dataset& part,
                       const FitPlan& plan, const LearnPolicyOptions& options,
                       const CostTable& costs, std::size_t most_nodes = 0);

/// Expected run time of make_scores() with a plan of all nodes: propensities, then outcomes.
FitSize rule_fit_size(const Context& context, const Dataset& data,
                      const LearnPolicyOptions& options);
std::vector<ExpectedCost> expected_score_costs(const FitSize& size,
                                               const LearnPolicyOptions& options,
                                               std::size_t most_nodes = 0);

}  // namespace cone
