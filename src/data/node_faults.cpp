#include "data/node_faults.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/number.hpp"
#include "data/text_shape.hpp"

namespace cone::load {
namespace {

constexpr const char* kWriteANumber = "give a decimal number such as -1.5 or 2e-3";
constexpr const char* kWriteAnOutcome =
    "give the outcome as a number, such as 1 for the event and 0 for its absence (yes and no, "
    "true and false are read as 1 and 0)";

enum class ColumnUse { kOutcome, kFeature, kOther };

std::string missing_advice(const FaultTable& table, const std::string& column, bool is_feature) {
  if (!table.is_file()) return "fill it in or drop the row";
  if (!is_feature) return "fill it in, or drop such lines with --missing drop";
  return fmt::format(
      "fill it in, or use --ignore {}, --missing indicate (mean imputation with an indicator) or "
      "--missing drop (drops such lines)",
      column);
}

/// Missing values of features: one message each for the first columns, one for all others.
void report_missing_features(const FaultTable& table, const ColumnRoles& roles,
                             const CellTallies& odd, FaultList& faults) {
  constexpr std::size_t kShown = 6;
  constexpr std::size_t kNamed = 40;
  std::vector<std::size_t> columns;
  for (const FeatureColumn& feature : roles.features) {
    if (odd.count(feature.column, Oddity::kMissing) > 0) columns.push_back(feature.column);
  }
  std::sort(columns.begin(), columns.end());
  const auto name_of = [&](std::size_t column) { return table.column_name(column); };
  for (std::size_t k = 0; k < std::min(columns.size(), kShown); ++k) {
    const std::string name = name_of(columns[k]);
    faults.add("missing in " + name, describe(table, columns[k], Oddity::kMissing,
                                              odd.find(columns[k])->of(Oddity::kMissing),
                                              k == 0 ? missing_advice(table, name, true) : ""));
  }
  if (columns.size() <= kShown) return;
  std::string names;
  for (std::size_t k = kShown; k < std::min(columns.size(), kShown + kNamed); ++k) {
    names += (k > kShown ? "," : "") + name_of(columns[k]);
  }
  if (columns.size() > kShown + kNamed) names += ", ...";
  faults.add("missing elsewhere",
             {table.whole(),
              fmt::format("values are missing in {} more columns: {}",
                          grouped(columns.size() - kShown), names),
              table.is_file() ? "--ignore, --missing indicate and --missing drop apply here too"
                              : "fill them in or drop the columns"});
}

std::string advice_for(const FaultTable& table, Oddity oddity, const std::string& column,
                       ColumnUse use, const Tally& tally) {
  switch (oddity) {
    case Oddity::kMissing: {
      std::string advice = missing_advice(table, column, use == ColumnUse::kFeature);
      if (tally.num_none == 0) return advice;
      return fmt::format("{}; 'none' among numbers is read as missing: {}", advice,
                         none_advice(table));
    }
    case Oddity::kText:
      if (const char* advice = other_notation(tally.first_text)) return advice;
      if (looks_like_date(tally.first_text)) return "convert dates to numbers, such as days";
      if (lower_case(tally.first_text) == "none") return kNoneAmongNumbers;
      return use == ColumnUse::kOutcome ? kWriteAnOutcome : kWriteANumber;
    case Oddity::kNotFinite:
      return fmt::format("give a finite number or drop the {}", table.row_word());
    case Oddity::kTooLarge:
      return "rescale the column";
    case Oddity::kNegative:
      return "counts cannot be negative; without --counts the column is a numeric feature";
    case Oddity::kNegativeWeight:
      return "a survey weight is the number of population units that the node represents: 0 or "
             "more";
    case Oddity::kNotAProbability: {
      const ParsedNumber value = parse_number(tally.first_text);
      const bool per_cent =
          value.kind == NumberKind::kFinite && value.value > 1 && value.value <= 100;
      return per_cent ? "if these are percentages, divide them by 100"
                      : "it must lie between 0 and 1";
    }
    case Oddity::kImpossible:
      return column == "propensity"
                 ? "it is the probability of treatment 1; check which arm it was meant for"
                 : "check which arm the columns are meant for";
    case Oddity::kUneven:
      return "make the probabilities of all arms add up to 1";
    case Oddity::kAnswer:
      return kWriteAnOutcome;
  }
  return "";
}

}  // namespace

void report_odd_cells(const FaultTable& table, const ColumnRoles& roles, const CellTallies& odd,
                      MissingPolicy missing, FaultList& faults) {
  if (odd.empty()) return;
  const auto report = [&](std::size_t column, ColumnUse use, std::initializer_list<Oddity> kinds) {
    const ColumnTally* tally = odd.find(column);
    if (tally == nullptr) return;
    const std::string name = table.column_name(column);
    for (const Oddity oddity : kinds) {
      if (tally->of(oddity).count == 0) continue;
      faults.add(fmt::format("oddity {} in {}", static_cast<int>(oddity), name),
                 describe(table, column, oddity, tally->of(oddity),
                          advice_for(table, oddity, name, use, tally->of(oddity))));
    }
  };
  const bool is_refused = missing == MissingPolicy::kRefuse;
  constexpr ColumnUse kOther = ColumnUse::kOther;
  if (roles.treatment && is_refused) report(*roles.treatment, kOther, {Oddity::kMissing});
  if (roles.cluster && is_refused) report(*roles.cluster, kOther, {Oddity::kMissing});
  for (const NumberRole& role : roles.numbers) {
    const bool is_outcome = role.quantity == Quantity::kOutcome;
    const ColumnUse use = is_outcome ? ColumnUse::kOutcome : kOther;
    if (is_refused) report(role.column, use, {Oddity::kMissing});
    const std::uint64_t num_answers = odd.count(role.column, Oddity::kAnswer);
    if (num_answers + odd.count(role.column, Oddity::kMissing) < table.num_rows &&
        odd.count(role.column, Oddity::kText) == 0) {
      report(role.column, use, {Oddity::kAnswer});
    }
    report(role.column, use,
           {Oddity::kText, Oddity::kNotFinite, Oddity::kTooLarge, Oddity::kNegativeWeight,
            Oddity::kNotAProbability, Oddity::kImpossible, Oddity::kUneven});
  }
  for (const FeatureColumn& feature : roles.features) {
    constexpr ColumnUse kUse = ColumnUse::kFeature;
    report(feature.column, kUse, {Oddity::kNotFinite, Oddity::kTooLarge, Oddity::kNegative});
    if (feature.role != FeatureRole::kCount) continue;
    report(feature.column, kUse, {Oddity::kText});
    if (missing == MissingPolicy::kIndicate) report(feature.column, kUse, {Oddity::kMissing});
  }
  if (is_refused) report_missing_features(table, roles, odd, faults);
}

}  // namespace cone::load
