#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn_policy.hpp"

#include "policy_tree/rule_scores.hpp"

namespace cone {

/// Values of the rule's decisions and of what it is compared with, by scores of nuisances that saw
/// none of the nodes they score. `rule` and `single` are what every node gets from the tree, and
/// from the best single arm, both learnt without its fold. Fills in values, gains, verdict and
/// warnings of `out`, whose tree is there already. All nodes of the data are in `scores`.
void value_rule(const Context& context, const Dataset& data, const RuleScores& scores,
                std::span<const Arm> rule, std::span<const Arm> single,
                const LearnPolicyOptions& options, LearntPolicy& out);

}  // namespace cone
