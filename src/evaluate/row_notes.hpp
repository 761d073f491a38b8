#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/estimate.hpp"

#include "evaluate/learning.hpp"

namespace cone {

/// Says in an estimate's warnings what its learners had trouble with, and where the user's own
/// columns took the place of the model that the row is named after.
void note_learning(const EstimatorInfo& row, const Evidence& evidence,
                   const LearntNuisances& learnt, Estimate& value);

/// Says so in the rows on cone's outcome networks where a regression on the features predicts the
/// outcomes better, beyond chance: representations that lost what the features say of the outcome
/// have lost confounders with it, and nothing in cone's own numbers shows that. For when all
/// learners are done, whatever their order.
void note_better_regressions(const LoggedSample& sample, const LearntNuisances& learnt,
                             std::vector<PolicyResult>& results);

/// Says which columns the user brought that nothing reads, as models are fitted instead.
std::string describe_idle_columns(std::span<const std::string> arms, bool has_propensity,
                                  bool has_mu);

}  // namespace cone
