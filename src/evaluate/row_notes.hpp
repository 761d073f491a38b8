#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/estimate.hpp"

#include "evaluate/learning.hpp"

namespace cone {

/// A warning where the smoothing bias is clear and exceeds the standard error.
void note_smoothing(Estimate& value);

/// Says that network_joint is network_dm here.
void note_missing_joint_model(Estimate& value);

/// Adds warnings of the estimate's learners, and of given columns that replace the model that the
/// estimator is named after.
void note_learning(const Catalogue& catalogue, const EstimatorInfo& row, const Evidence& evidence,
                   const LearntNuisances& learnt, Estimate& value);

/// Adds a warning to estimates by cone's outcome networks, the network ridge or an added outcome
/// model where a regression on the features predicts the outcomes significantly better: a model
/// that lost predictive features may have lost confounders too, which its own diagnostics do not
/// show. Called after all learners.
void note_better_regressions(const Catalogue& catalogue, const LoggedSample& sample,
                             const LearntNuisances& learnt, std::vector<PolicyResult>& results);

/// Notes of default estimators that were left out, and of requested ones that are others under a
/// given outcome model.
std::vector<std::string> note_choices(const Dataset& data, const EvaluateOptions& options,
                                      std::span<const EstimatorInfo> rows);

/// A warning of given columns that are not used, as models are fitted instead.
std::string describe_idle_columns(std::span<const std::string> arms, bool has_propensity,
                                  bool has_mu);

}  // namespace cone
