#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/learn_policy.hpp"
#include "cone/output.hpp"

#include "results/record_fields.hpp"

/// \file
/// The fields of a learnt policy's record, one line each (options/record_json.hpp).

namespace cone {

struct LearntPolicyRecord {
  const Dataset& data;
  const LearntPolicy& policy;
  const LearnPolicyOptions& options;
  std::uint64_t seed = 0;

  nlohmann::ordered_json config() const;
  /// The logged policy, the best single arm, then every single arm.
  std::vector<const RuleValue*> alternatives() const;
};

/// Nested, as trees are usually drawn.
nlohmann::ordered_json tree_json(const PolicyTree& tree, const std::vector<std::string>& columns,
                                 const std::vector<std::string>& arms, std::size_t at = 0);

void list_fields(const RuleValue& value, auto& line) {
  line("name", value.name);
  line("value", value.value, "Mean outcome per unit, net of cost, for the population");
  line("standard_error", value.standard_error, "null where none is valid", or_null(at_least(0)));
  line("sampling_interval", value.sampling_interval);
  line("gain", value.gain, "Of the learnt rule over this alternative, paired by node");
  line("gain_standard_error", value.gain_error, "null where none is valid", or_null(at_least(0)));
  line("sampling_gain_interval", value.sampling_gain_interval);
  line("treated_fraction", value.treated_fraction, between(0, 1));
  line("within_budget", value.within_budget, "Whether this alternative is within the budget");
}

/// The verdict on the gain of the learnt rule over an alternative.
void list_comparison(const RuleValue& value, const LearntPolicyRecord& record, auto& line) {
  list_fields(value, line);
  line("sensitivity_gain_interval", value.sensitivity_gain_interval,
       "For an unmeasured confounder as strong as what the network reveals; null where no strength "
       "is known");
  line("overturning_strength", value.overturning_strength,
       "How many times as strong an unmeasured confounder explains the gain away", at_least(0));
  line("verdict", value.verdict);
  line("unreliable", known(value.unreliable), "Why the gain's interval is not to be relied on");
  line("sentence", gain_sentence(record.policy, value, record.options),
       "The verdict in a sentence");
}

void list_fields(const LearntPolicyRecord& record, auto& line) {
  const LearntPolicy& policy = record.policy;
  const Dataset& data = record.data;
  list_origin(kPolicySchema, kVersion, source_revision(), build_commit(), line);
  line("config", record.config(),
       "Every option with its value, in the spelling of the flags (underscores for hyphens)");
  line("data", group([&](auto& lines) {
         lines("num_nodes", data.num_nodes());
         lines("num_edges", data.graph.num_edges());
         lines("num_features", data.features.matrix.cols());
         lines("arms", data.arms, "The control arm first", kArmCount);
         lines("checksum", data.checksum(), kChecksum);
       }));
  list_outcome(policy.outcome, record.options.direction.prefers_lower(), line);
  line("costs", costs_by_arm(policy.costs),
       "Cost of every arm; its mean over the units where a column has it", Range());
  list_cost_columns(policy.costs, line);
  line("num_candidate_columns", policy.num_candidates, "Number of columns before screening");
  line("columns", policy.columns, "Columns that the tree may split on");
  line(
      "tree", [&] { return tree_json(policy.tree, policy.columns, policy.arms); },
      "Learnt from all nodes", SchemaKeywords{R"("$ref": "#/$defs/tree")"});
  line("treated_fraction", policy.treated_fraction,
       "Share of the nodes that the tree assigns to an arm other than control", between(0, 1));
  line("price", policy.price,
       "Price per treated unit that keeps the tree within the budget, in units of the outcome",
       at_least(0));
  line("in_sample_value", policy.in_sample_value,
       "By the scores that the tree was learnt from: optimistic");
  line("randomised", policy.is_randomised,
       "Treatment was assigned at random given the features: declared (--randomised) and not "
       "contradicted by the data, or by given propensities; verdicts do not depend on sensitivity "
       "intervals then");
  line("verdict", policy.verdict,
       "better: than every single arm within the budget, none of whose verdicts is not_shown; "
       "worse: than one of them");
  line("summary", rule_summary(policy, record.options), "The verdict in sentences");
  line("rule", policy.rule, "The learnt rule, out of fold; its gain is 0");
  line("comparisons",
       each(record.alternatives(),
            [&](const RuleValue* value, auto& lines) { list_comparison(*value, record, lines); }),
       "The logged policy, the best single arm, then every single arm",
       SchemaKeywords{R"("minItems": 4)"});
  line(
      "fold_trees",
      [&] {
        std::vector<nlohmann::ordered_json> trees;
        for (const FoldRule& fold : policy.folds) {
          trees.push_back(tree_json(fold.tree, fold.columns, policy.arms));
        }
        return trees;
      },
      "The tree applied to each fold, learnt from the other folds",
      SchemaKeywords{R"("minItems": 3, "items": {"$ref": "#/$defs/tree"})"});
  line("warnings", policy.warnings);
}

}  // namespace cone
