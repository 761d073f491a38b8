#pragma once

#include "cone/learn.hpp"
#include "cone/options.hpp"

namespace cone {

/// Propensity model by logistic regression of the arm on the features, one fit per task of the
/// plan.
///
/// C is chosen by the log-loss on the task's selection splits, over a geometric grid from the null
/// model (C = 0: all nodes have the mean propensity) to a prior standard deviation of 10 of the
/// logit; ties go to the stronger penalty. The model is then fitted on all of the task's nodes.
/// A path of fits per selection split, each warm-started from the stronger one; a split stops
/// after three strengths that are worse than its best. Where the splits are folds and the columns
/// few and dense, all fits of a task share one block of rows (LogisticFolds).
///
/// Throws Error(kData) where the data has no treatments and outcomes, the fitting nodes of a task
/// lack an arm, or no selection split has every arm.
class LogisticLearner : public Learner {
 public:
  explicit LogisticLearner(const NuisanceOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NuisanceOptions options_;
};

}  // namespace cone
