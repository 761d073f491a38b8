#include "data/given_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "data/arm_labels.hpp"

namespace cone::load {
namespace {

using ArmColumns = std::vector<const GivenColumn*>;  ///< one per arm; nullptr where there is none

constexpr std::array kGivenQuantities = {Quantity::kPropensity, Quantity::kMu, Quantity::kTruth};

ArmColumns columns_of(Quantity quantity, std::span<const std::string> arms,
                      std::span<const GivenColumn> given) {
  ArmColumns columns(arms.size(), nullptr);
  for (const GivenColumn& column : given) {
    if (column.role.quantity != quantity) continue;
    if (const auto arm = find_arm(arms, column.role.label)) columns[*arm] = &column;
  }
  return columns;
}

bool is_absent(const ArmColumns& columns) {
  return std::all_of(columns.begin(), columns.end(), [](const auto* c) { return c == nullptr; });
}

/// Whether there is an arm 0 and an arm 1 and no other: the arms of propensity, mu0, ...
bool has_plain_names(std::span<const std::string> arms) {
  return arms.size() == 2 && find_arm(arms, "0").has_value() && find_arm(arms, "1").has_value();
}

void check_column(const FaultTable& table, std::span<const std::string> arms,
                  const GivenColumn& column, FaultList& faults) {
  const std::string name = table.column_name(column.role.column);
  const auto refuse = [&](std::string what, std::string advice) {
    faults.add("given column",
               {table.column(column.role.column), std::move(what), std::move(advice)});
  };
  const char* quantity = quantity_name(column.role.quantity);
  if (!column.role.is_labelled && !has_plain_names(arms)) {
    refuse(
        fmt::format("is for arm {}, but the arms are {}", column.role.label, list_arms(arms)),
        fmt::format("name it {}:LABEL with the label of its arm, or --ignore {}", quantity, name));
  } else if (column.role.is_labelled && !find_arm(arms, column.role.label)) {
    const std::string near = closest_name(column.role.label, arms);
    refuse(fmt::format("the data has no arm '{}'", printable(column.role.label)),
           near.empty()
               ? fmt::format("the arms are {}{}", list_arms(arms),
                             table.is_file() ? "; if it is a feature, list it in --features" : "")
               : fmt::format("did you mean {}:{}?", quantity, printable(near)));
  }
}

/// Whether only the control arm's column, or one of two columns, is absent.
bool is_complete_but_one(const ArmColumns& columns) {
  const auto num_missing = std::count(columns.begin(), columns.end(), nullptr);
  return num_missing == 1 && (columns[kControlArm] == nullptr || columns.size() == 2);
}

/// The arm whose propensity is one minus that of the others.
std::optional<Arm> remaining_arm(std::span<const std::string> arms, const ArmColumns& columns) {
  // Arms called 0 and 1 have one propensity in the checksum: the other always follows from it.
  if (has_plain_labels(arms) && columns[1] != nullptr) return kControlArm;
  const auto absent = std::find(columns.begin(), columns.end(), nullptr);
  if (absent == columns.end()) return std::nullopt;
  return static_cast<Arm>(absent - columns.begin());
}

}  // namespace

void check_given_arms(const FaultTable& table, std::span<const std::string> arms,
                      std::span<const GivenColumn> given, FaultList& faults) {
  const std::uint64_t num_before = faults.total();
  for (const GivenColumn& column : given) check_column(table, arms, column, faults);
  for (std::size_t a = 0; a < given.size(); ++a) {
    for (std::size_t b = a + 1; b < given.size(); ++b) {
      if (given[a].role.quantity != given[b].role.quantity ||
          find_arm(arms, given[a].role.label) != find_arm(arms, given[b].role.label)) {
        continue;
      }
      faults.add("given column", {table.column(given[b].role.column),
                                  fmt::format("is for the same arm as column {}",
                                              table.column_name(given[a].role.column)),
                                  "keep one of them"});
    }
  }
  if (faults.total() > num_before) return;  // arms without a column would only repeat these
  for (const Quantity quantity : kGivenQuantities) {
    const ArmColumns columns = columns_of(quantity, arms, given);
    if (is_absent(columns)) continue;
    const bool is_propensity = quantity == Quantity::kPropensity;
    if (is_propensity && is_complete_but_one(columns)) continue;
    if (std::count(columns.begin(), columns.end(), nullptr) == 0) continue;
    if (std::none_of(columns.begin(), columns.end(), [](const GivenColumn* column) {
          return column != nullptr && column->role.is_labelled;
        })) {
      continue;  // mu0 without mu1 was reported with the header
    }
    const char* name = quantity_name(quantity);
    std::string missing;
    for (std::size_t a = 0; a < arms.size(); ++a) {
      if (columns[a] != nullptr) continue;
      missing += fmt::format("{}{}:{}", missing.empty() ? "" : ", ", name, printable(arms[a]));
    }
    faults.add("arm without a column",
               {table.whole(), fmt::format("there is no column {}", missing),
                is_propensity ? "give the propensity of every arm; the control arm's may be omitted"
                              : fmt::format("give {} for every arm, or for none", name)});
  }
}

void tally_propensities(std::span<const std::string> arms, std::span<const GivenColumn> given,
                        std::span<const Arm> treatment,
                        const std::function<bool(std::size_t)>& is_usable,
                        const std::function<Tally(std::size_t, std::size_t)>& locate,
                        CellTallies& odd) {
  const ArmColumns columns = columns_of(Quantity::kPropensity, arms, given);
  if (is_absent(columns)) return;
  const bool has_all = std::count(columns.begin(), columns.end(), nullptr) == 0;
  const std::size_t first_column =
      (*std::find_if(columns.begin(), columns.end(), [](const auto* c) {
        return c != nullptr;
      }))->role.column;
  // A single column of two arms is quoted in messages; of several columns, their sum.
  const bool is_single = arms.size() == 2 && !has_all;
  Tally impossible, uneven;
  std::size_t impossible_column = first_column;
  const auto count = [&](Tally& tally, std::size_t row, std::size_t column) {
    if (tally.count++ > 0) return;
    tally = locate(row, column);
    tally.count = 1;
  };
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    if (!is_usable(i)) continue;
    double sum = 0;
    bool is_probability = true;
    for (const GivenColumn* column : columns) {
      if (column == nullptr) continue;
      is_probability = is_probability && column->values[i] >= 0 && column->values[i] <= 1;
      sum += column->values[i];
    }
    if (!is_probability) continue;  // reported elsewhere
    if (has_all ? std::abs(sum - 1) > kSumTolerance : sum > 1 + kSumTolerance) {
      if (uneven.count == 0) {
        uneven = locate(i, first_column);
        uneven.count = 0;
        uneven.first_text = fmt::format("{:.6g}, {} 1", sum, has_all ? "not" : "more than");
      }
      ++uneven.count;
      continue;
    }
    const GivenColumn* own = columns[treatment[i]];
    const bool is_impossible = own != nullptr ? own->values[i] == 0 : sum >= 1;
    if (!is_impossible) continue;
    if (impossible.count == 0 && own != nullptr) impossible_column = own->role.column;
    count(impossible, i, impossible_column);
    if (own == nullptr && !is_single) impossible.first_text = "0";
  }
  odd.add(impossible_column, Oddity::kImpossible, impossible);
  odd.add(first_column, Oddity::kUneven, uneven);
}

GivenTables join_given(std::span<const std::string> arms, std::span<const GivenColumn> given) {
  GivenTables tables;
  const auto table_of = [&](Quantity quantity) -> std::optional<Matrix<double>> {
    const ArmColumns columns = columns_of(quantity, arms, given);
    if (is_absent(columns)) return std::nullopt;
    const std::size_t num_rows = given.front().values.size();
    Matrix<double> table(num_rows, arms.size());
    const std::optional<Arm> remaining =
        quantity == Quantity::kPropensity ? remaining_arm(arms, columns) : std::nullopt;
    for (std::size_t i = 0; i < num_rows; ++i) {
      double rest = 1;
      for (std::size_t a = 0; a < arms.size(); ++a) {
        if (a == remaining) continue;
        table(i, a) = columns[a]->values[i];
        rest -= table(i, a);
      }
      if (remaining) table(i, *remaining) = std::max(rest, 0.0);
    }
    return table;
  };
  tables.propensity = table_of(Quantity::kPropensity);
  tables.mu = table_of(Quantity::kMu);
  tables.truth = table_of(Quantity::kTruth);
  return tables;
}

}  // namespace cone::load
