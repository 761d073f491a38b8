#include "data/policy_columns.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/load.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/csv.hpp"
#include "data/number.hpp"

namespace cone::load {
namespace {

/// A header `name:label`.
struct ArmHeader {
  std::string policy;
  Arm arm;
};

std::optional<ArmHeader> parse_arm_header(const std::string& title,
                                          const std::vector<std::string>& arms) {
  // The label may contain colons: the longest that matches an arm.
  for (std::size_t colon = title.find(':'); colon != std::string::npos;
       colon = title.find(':', colon + 1)) {
    const std::string policy(trimmed(std::string_view(title).substr(0, colon)));
    if (policy.empty()) continue;
    const auto arm = find_arm(arms, std::string_view(title).substr(colon + 1));
    if (arm) return ArmHeader{policy, *arm};
  }
  return std::nullopt;
}

/// Counts of the kinds of cells in a column.
struct CellCounts {
  std::uint64_t num_cells = 0;
  std::uint64_t num_labels = 0;
  std::uint64_t num_numbers = 0;
  std::uint64_t num_probabilities = 0;
  std::uint64_t num_missing = 0;

  void add(const CellCounts& other) {
    num_cells += other.num_cells;
    num_labels += other.num_labels;
    num_numbers += other.num_numbers;
    num_probabilities += other.num_probabilities;
    num_missing += other.num_missing;
  }
};

void count_cell(std::string_view text, ArmReader& reader, CellCounts& counts) {
  const ParsedNumber number = parse_number(text);
  const bool is_number = number.kind == NumberKind::kFinite;
  const bool is_label = reader.find(text).has_value();
  ++counts.num_cells;
  counts.num_labels += is_label ? 1 : 0;
  counts.num_numbers += is_number ? 1 : 0;
  counts.num_probabilities += is_number && number.value >= 0 && number.value <= 1 ? 1 : 0;
  counts.num_missing += number.kind == NumberKind::kMissing && !is_label ? 1 : 0;
}

/// By column of the file; only `columns` are looked at.
std::vector<CellCounts> count_cells(const Context& context, const CsvFile& file,
                                    const std::vector<std::size_t>& columns,
                                    const std::vector<std::string>& arms) {
  if (columns.empty()) return std::vector<CellCounts>(file.header().size());
  std::vector<std::vector<CellCounts>> by_chunk(file.chunks().size());
  FaultList ignored;  // malformed lines are reported when the values are read
  file.for_each_chunk(context, "scanning policies", ignored,
                      [&](std::size_t number, CsvRecords& records) {
                        ArmReader reader(arms);
                        by_chunk[number].resize(file.header().size());
                        while (records.next()) {
                          for (const std::size_t j : columns) {
                            count_cell(records[j], reader, by_chunk[number][j]);
                          }
                        }
                      });
  std::vector<CellCounts> counts(file.header().size());
  for (const std::vector<CellCounts>& chunk : by_chunk) {
    for (std::size_t j = 0; j < chunk.size(); ++j) counts[j].add(chunk[j]);
  }
  return counts;
}

/// Whether a single column holds labels; nothing, and a fault, where it is ambiguous.
std::optional<bool> holds_labels(const CsvFile& file, std::size_t column, const CellCounts& counts,
                                 const std::vector<std::string>& arms, FaultList& faults) {
  if (arms.size() > 2) return true;
  if (counts.num_cells == 0) return false;
  const bool all_labels = counts.num_labels == counts.num_cells;
  const bool all_probabilities = counts.num_probabilities == counts.num_cells;
  if (all_labels && all_probabilities) {
    faults.add(
        "policy",
        {{.file = file.name(), .column = printable(file.header()[column])},
         fmt::format("is ambiguous: labels, or probabilities of arm '{}'", printable(arms[1])),
         fmt::format("write one column per arm: {0}:{1} and {0}:{2}",
                     printable(file.header()[column]), printable(arms[0]), printable(arms[1]))});
    return std::nullopt;
  }
  if (all_labels) return true;
  const std::uint64_t num_texts = counts.num_cells - counts.num_numbers - counts.num_missing;
  return num_texts > counts.num_numbers || counts.num_labels > counts.num_probabilities;
}

/// All arms have their column, or all but one that follows from the others.
void check_arms_covered(const CsvFile& file, const PolicyColumns& policy,
                        const std::vector<std::string>& arms, FaultList& faults) {
  std::string missing;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    // One of two follows from the other, whichever it is.
    if (policy.columns[a] || a == kControlArm || arms.size() == 2) continue;
    missing += fmt::format("{}{}:{}", missing.empty() ? "" : ", ", printable(policy.name),
                           printable(arms[a]));
  }
  if (missing.empty()) return;
  faults.add("policy", {{.file = file.name(), .line = 1},
                        fmt::format("there is no column {}", missing),
                        "give the probability of every arm; the control arm's may be omitted"});
}

/// Where the arms are called 0 and 1, a single column `name:0` might be the probability of arm 0,
/// or a policy of that name, which would mean the opposite. `random-weights:0` is the name of a
/// built-in policy.
void refuse_lone_control(const CsvFile& file, const std::vector<std::optional<ArmHeader>>& headers,
                         const std::vector<PolicyColumns>& policies, FaultList& faults) {
  for (const PolicyColumns& policy : policies) {
    if (policy.kind != PolicyColumns::Kind::kProbability) continue;
    const std::optional<ArmHeader>& header = headers[*policy.columns[0]];
    if (!header || header->arm != kControlArm || header->policy == "random-weights") continue;
    faults.add("policy",
               {{.file = file.name(), .line = 1, .column = printable(policy.name)},
                "is ambiguous: the probability of arm 0, or of arm 1 under a policy of this name",
                fmt::format("write {0}:1, or both {0}:0 and {0}:1", printable(header->policy))});
  }
}

}  // namespace

ArmReader::ArmReader(const std::vector<std::string>& arms) : arms_(arms) {
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const std::optional<double> number = parse_label_number(arms[a]);
    if (number) numbers_.emplace_back(*number, static_cast<Arm>(a));
  }
}

std::optional<Arm> ArmReader::find_number(double value) const {
  for (const auto& [number, arm] : numbers_) {
    if (number == value) return arm;
  }
  return std::nullopt;
}

std::optional<Arm> ArmReader::find(std::string_view text) {
  if (const std::optional<double> number = parse_label_number(text)) return find_number(*number);
  for (const auto& [spelling, arm] : known_) {
    if (spelling == text) return arm;
  }
  const std::optional<Arm> arm = find_arm(arms_, text);
  constexpr std::size_t kMostKnown = 64;
  if (known_.size() < kMostKnown) known_.emplace_back(text, arm);
  return arm;
}

Fault too_many_policies(std::size_t count, Place place) {
  return {std::move(place),
          fmt::format("{} policies are more than the limit of {}: time and memory grow with the "
                      "square of their number",
                      grouped(count), grouped(kMostPolicies)),
          "evaluate them in several runs, or drop policies that are nearly the same"};
}

std::vector<PolicyColumns> find_policies(const Context& context, const CsvFile& file,
                                         std::size_t id_column,
                                         const std::vector<std::string>& arms, FaultList& faults) {
  using Kind = PolicyColumns::Kind;
  const bool is_plain = has_plain_labels(arms);
  std::vector<std::optional<ArmHeader>> headers;
  for (const std::string& title : file.header()) headers.push_back(parse_arm_header(title, arms));
  // With arms called 0 and 1, a single column random-weights:1 is the name of a policy.
  const auto is_by_arm = [&](std::size_t j) {
    if (!headers[j] || !is_plain) return headers[j].has_value();
    return std::any_of(headers.begin(), headers.end(), [&](const auto& other) {
      return other && other->policy == headers[j]->policy && other->arm != headers[j]->arm;
    });
  };
  std::vector<PolicyColumns> policies;
  std::vector<std::size_t> single;
  for (std::size_t j = 0; j < file.header().size(); ++j) {
    if (j == id_column || file.header()[j].empty()) continue;
    if (file.header()[j].starts_with(kLearntFrom)) {
      if (!policies.empty())
        policies.back().learnt_from = file.header()[j].substr(kLearntFrom.size());
      continue;
    }
    if (!is_by_arm(j)) {
      policies.push_back({file.header()[j], Kind::kProbability, {j}});
      single.push_back(j);
      continue;
    }
    auto policy = std::find_if(policies.begin(), policies.end(), [&](const PolicyColumns& p) {
      return p.kind == Kind::kByArm && p.name == headers[j]->policy;
    });
    if (policy == policies.end()) {
      policies.push_back({headers[j]->policy, Kind::kByArm, {}});
      policy = policies.end() - 1;
      policy->columns.resize(arms.size());
    }
    if (policy->columns[headers[j]->arm]) {
      faults.add("policy", {{.file = file.name(), .line = 1, .column = printable(file.header()[j])},
                            "is for the same arm as another column",
                            "keep one of them"});
    }
    policy->columns[headers[j]->arm] = j;
  }
  if (policies.size() > kMostPolicies) {  // before the cells, which may be many, are read
    faults.add("policy", too_many_policies(policies.size(), {.file = file.name(), .line = 1}));
    faults.throw_if_any(ErrorCode::kData);
  }
  if (is_plain) {
    single.clear();  // labels and probabilities are the same
    refuse_lone_control(file, headers, policies, faults);
  }
  const std::vector<CellCounts> counts = count_cells(context, file, single, arms);
  for (PolicyColumns& policy : policies) {
    if (policy.kind == Kind::kByArm) {
      check_arms_covered(file, policy, arms, faults);
    } else if (holds_labels(file, *policy.columns[0], counts[*policy.columns[0]], arms, faults)
                   .value_or(false)) {
      policy.kind = Kind::kLabels;
    }
  }
  return policies;
}

}  // namespace cone::load
