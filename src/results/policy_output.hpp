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

inline constexpr std::string_view kPolicySchema = "cone.policy/2";

/// `id` and a column of that name: the label of the arm of every node, in the order of the data.
/// cone evaluate --policy reads it back. `in_sample`: the rule saw the nodes that it is written
/// for, and a column says so (data/policy_columns.hpp).
void write_policy(const Context& context, std::ostream& out, const Dataset& data,
                  std::string_view name, std::span<const Arm> arms, bool in_sample,
                  CsvCells cells = CsvCells::kExact);

/// The questions, indented, and who gets what.
std::string rule_text(const LearntPolicy& policy);

/// The rule, what it is worth beside what it is compared with, and what that means in words.
std::string learnt_policy_text(const LearntPolicy& policy, const LearnPolicyOptions& options);

/// The tree as a picture. The same tree gives the same bytes.
std::string rule_svg(const LearntPolicy& policy);

/// docs/learn.md lists the fields.
nlohmann::ordered_json learnt_policy_json(const Dataset& data, const LearntPolicy& policy,
                                          const LearnPolicyOptions& options, std::uint64_t seed);

/// The threshold in as few digits, four at least, as still tell `below` from `above`.
std::string threshold_text(const RuleNode& node);

}  // namespace cone
