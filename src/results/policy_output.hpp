#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn_policy.hpp"

#include "data/csv_writer.hpp"

namespace cone {

inline constexpr std::string_view kPolicySchema = "cone.policy/3";

/// `id` and a column of that name: the label of the arm of every node, in the order of the data.
/// cone evaluate --policy reads it back. An extra column records what the rule was learnt from
/// (data/policy_columns.hpp). `out_of_fold`: the nodes' own fold was left out.
void write_policy(const Context& context, std::ostream& out, const Dataset& data,
                  std::string_view name, std::span<const Arm> arms, bool out_of_fold,
                  CsvCells cells = CsvCells::kExact);

/// The splits of the tree, indented, and the arm of every leaf.
std::string rule_text(const LearntPolicy& policy);

/// The verdict on the gain of the rule over the logged policy or a single arm, as an evaluation
/// says it.
std::string gain_sentence(const LearntPolicy& policy, const RuleValue& other,
                          const LearnPolicyOptions& options);

/// Whether the rule is better than any single arm.
std::string rule_summary(const LearntPolicy& policy, const LearnPolicyOptions& options);

/// The rule, a table of its value and of the alternatives', and the verdict in a sentence.
std::string learnt_policy_text(const LearntPolicy& policy, const LearnPolicyOptions& options);

/// The tree as a picture. The same tree gives the same bytes.
std::string rule_svg(const LearntPolicy& policy);

/// docs/records.md lists the fields.
nlohmann::ordered_json learnt_policy_json(const Dataset& data, const LearntPolicy& policy,
                                          const LearnPolicyOptions& options, std::uint64_t seed);

/// The threshold with at least four digits, and as many more as separate `below` from `above`.
std::string threshold_text(const RuleNode& node);

}  // namespace cone
