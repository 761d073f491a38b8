#pragma once

#include <span>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// What is judged: the recommended estimator, and what it rests on.
struct Judged {
  const Dataset& data;
  const LoggedSample& sample;
  const FitPlan& folds;
  std::span<const PolicyResult> results;
  std::span<const Matrix<double>> policies;  ///< of the results: sample × arms, weighed
  const EstimatorInfo& estimator;
  const PropensityTable* propensity = nullptr;  ///< for importance weights; nullptr without any
  std::string propensity_model;                 ///< that it is from
  const OutcomeTable* outcome = nullptr;        ///< nullptr without an outcome model
};

/// Adds the diagnostics that have a verdict, and the worst entry of each. Where the observer asks
/// to stop, balance is skipped with a warning, unless other ranks would wait for it. Collective
/// where the data is distributed.
void add_verdicts(const Context& context, const Judged& judged, Diagnostics& out);

}  // namespace cone
