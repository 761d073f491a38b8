#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// Variance shares by arm; where variances are learnt per fold, the mean of the shares.
std::vector<VarianceShares> share_variance(const NetworkRidgeSummary& ridge,
                                           std::span<const std::string> arms);

/// The verdict on R².
Verdict judge_fit(const OutcomeDiagnostics& model);

/// R² of the logged outcomes over all ranks, and the verdict on it. `name`: of the learner.
OutcomeDiagnostics diagnose_outcomes(const std::string& name, const LoggedSample& sample,
                                     const OutcomeTable& table);

/// One sentence on the joint model: the slope of the arm that it trusts most, or why it changes
/// nothing. `joint` has one entry per label of `arms`.
Verdict describe_joint_model(std::span<const JointArm> joint, std::span<const std::string> arms);

}  // namespace cone
