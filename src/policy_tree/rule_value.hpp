#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn_policy.hpp"

#include "inference/confounding_strength.hpp"
#include "policy_tree/rule_scores.hpp"

namespace cone {

/// Values of the rule and of its alternatives, by cross-fitted scores. `rule` and `single`: the arm
/// of every node under the tree and under the best single arm, both learnt without its fold. Fills
/// in values, gains, verdicts and warnings of `out`, which has its tree already. `scores` has all
/// nodes of the data. `strength`: of the sensitivity intervals, where the data has a network;
/// nullptr otherwise.
void value_rule(const Context& context, const Dataset& data, const RuleScores& scores,
                std::span<const Arm> rule, std::span<const Arm> single,
                const NetworkStrength* strength, const LearnPolicyOptions& options,
                LearntPolicy& out);

}  // namespace cone
