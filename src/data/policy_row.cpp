#include "data/policy_row.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/given_columns.hpp"
#include "data/number.hpp"
#include "data/validate.hpp"

namespace cone::load {

PolicyRow::PolicyRow(const std::vector<std::string>& arms)
    : arms_(arms), reader_(arms), is_plain_(has_plain_labels(arms)) {}

void PolicyRow::read(CsvRecords& records, std::string_view id, const PolicyColumns& policy,
                     std::span<double> row) {
  using Kind = PolicyColumns::Kind;
  if (policy.kind == Kind::kLabels) return read_label(records, *policy.columns[0], row);
  if (policy.kind == Kind::kByArm) return read_arms(records, id, policy, row);
  // With arms called 0 and 1, a label is a probability, and True and False are labels.
  const std::optional<bool> truth =
      is_plain_ ? parse_truth_value(records[*policy.columns[0]]) : std::nullopt;
  row[1] = truth ? static_cast<double>(*truth)
                 : validation::read_probability(records, *policy.columns[0], id);
  row[0] = 1 - row[1];
}

void PolicyRow::read_label(CsvRecords& records, std::size_t column, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  if (const std::optional<Arm> arm = reader_.find(records[column])) {
    row[*arm] = 1;
    return;
  }
  validation::add_fault(records.faults(), "label", [&]() -> Fault {
    const std::string text = printable(records[column]);
    const bool is_number = parse_number(records[column]).kind == NumberKind::kFinite;
    const std::string near = closest_name(text, arms_);
    std::string advice = fmt::format("the arms are {}", list_arms(arms_));
    if (!near.empty()) advice = fmt::format("did you mean {}?", printable(near));
    if (is_number && arms_.size() > 2)
      advice += "; probabilities of more than two arms need columns name:LABEL";
    return {records.place(column), fmt::format("'{}' is not an arm", text), std::move(advice)};
  });
}

void PolicyRow::read_arms(CsvRecords& records, std::string_view id, const PolicyColumns& policy,
                          std::span<double> row) {
  double sum = 0;
  std::optional<std::size_t> remaining;
  std::size_t first_column = 0;
  bool is_readable = true;
  for (std::size_t a = row.size(); a-- > 0;) {
    if (!policy.columns[a]) {
      remaining = a;
      continue;
    }
    first_column = *policy.columns[a];
    const std::uint64_t num_faults = records.faults().total();
    row[a] = validation::read_probability(records, first_column, id);
    is_readable = is_readable && records.faults().total() == num_faults;
    sum += row[a];
  }
  if (remaining) row[*remaining] = std::max(1 - sum, 0.0);
  const bool is_even = remaining ? sum <= 1 + kSumTolerance : std::abs(sum - 1) <= kSumTolerance;
  if (is_even || !is_readable) return;
  validation::add_fault(records.faults(), "sum of " + policy.name, [&]() -> Fault {
    Place place = records.place(first_column);
    place.item = printable(id);
    return {std::move(place),
            fmt::format("the probabilities of policy {} add up to {:.6g}, {} 1",
                        printable(policy.name), sum, remaining ? "more than" : "not"),
            "make the probabilities of all arms add up to 1"};
  });
}

}  // namespace cone::load
