#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/nuisance_options.hpp"

namespace cone {

struct PropensityPredictions {
  /// P(treatment = 1 | features), one per node, within [bound, 1 − bound]; NaN where not scored.
  std::vector<double> probability;
  std::vector<double> unbounded;  ///< the same before the bound
  double clipped_fraction = 0;    ///< share of the scored nodes that the bound moved
  bool converged = true;
  std::vector<double> chosen_strengths;  ///< C of every task, on the scaled features
  std::vector<std::string> warnings;
};

/// Moves the nodes' probabilities into [bound, 1 − bound]; returns the share that had to move.
double bound_propensities(std::span<const NodeIndex> nodes, double bound,
                          std::vector<double>& probability);

/// Logistic regression of the treatment on the features, one fit per task of the plan.
///
/// C is chosen by the log-loss on the task's selection splits, over a geometric grid from the null
/// model (C = 0: everyone has the mean propensity) to a prior standard deviation of 10 of the
/// logit; ties go to the stronger penalty. The model is then fitted on all of the task's nodes.
/// A path of fits per selection split, each warm-started from the stronger one; a split gives up
/// after three strengths that are worse than its best.
///
/// Throws Error(kData) where the data has no log, the fitting nodes of a task lack an arm, or no
/// selection split has both.
PropensityPredictions predict_propensities(const Context& context, const Dataset& data,
                                           const FitPlan& plan, const NuisanceOptions& options);

}  // namespace cone
