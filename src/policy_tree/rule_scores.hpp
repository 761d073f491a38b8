#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/forecast.hpp"
#include "cone/learn.hpp"
#include "cone/learn_policy.hpp"
#include "cone/matrix.hpp"

#include "data/arm_costs.hpp"
#include "nuisance/fit_cost.hpp"

namespace cone {

/// Doubly robust scores of the nodes that a plan scores, net of costs, and what they are made of.
struct RuleScores {
  LoggedSample sample;
  OutcomeTable outcome;
  PropensityTable propensity;
  Matrix<double> scores;  ///< sample × arms
  Matrix<double> costs;   ///< sample × arms
};

/// `most_nodes`: of an arm to learn the network ridge's variances on (VarianceSource); 0: all that
/// are worth it. Throws Error(kData) where a logged arm has the given propensity 0, and what
/// learners throw.
RuleScores make_scores(const Context& context, const Dataset& data, const FitPlan& plan,
                       const LearnPolicyOptions& options, const CostTable& costs,
                       std::size_t most_nodes = 0);

/// What make_scores() with a plan of all nodes may take: propensities, then outcomes.
FitSize rule_fit_size(const Context& context, const Dataset& data,
                      const LearnPolicyOptions& options);
std::vector<ExpectedCost> expected_score_costs(const FitSize& size,
                                               const LearnPolicyOptions& options,
                                               std::size_t most_nodes = 0);

}  // namespace cone
