#include "data/node_faults.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/number.hpp"
#include "data/text_shape.hpp"

namespace cone::load {
namespace {

constexpr const char* kWriteANumber = "give a decimal number such as -1.5 or 2e-3";

std::string level_text(const std::string& level, std::uint64_t count) {
  return fmt::format("'{}' ({} line{})", level, grouped(count), count == 1 ? "" : "s");
}

std::string missing_advice(const std::string& column, bool is_feature) {
  if (!is_feature) return "fill it in, or --missing drop leaves such lines out";
  return fmt::format(
      "fill it in, or --ignore {}, or --missing indicate (the mean, and an indicator), or "
      "--missing "
      "drop (without such lines)",
      column);
}

/// Missing values of features: a line each for the first columns, one line for the others.
void report_missing_features(const CsvFile& file, const ColumnRoles& roles, const CellTallies& odd,
                             FaultList& faults) {
  constexpr std::size_t kShown = 6;
  constexpr std::size_t kNamed = 40;
  std::vector<std::size_t> columns;
  for (const FeatureColumn& feature : roles.features) {
    if (odd.count(feature.column, Oddity::kMissing) > 0) columns.push_back(feature.column);
  }
  std::sort(columns.begin(), columns.end());
  const auto name_of = [&](std::size_t column) { return printable(file.header()[column]); };
  for (std::size_t k = 0; k < std::min(columns.size(), kShown); ++k) {
    const std::string name = name_of(columns[k]);
    faults.add("missing in " + name, describe(file, columns[k], Oddity::kMissing,
                                              odd.find(columns[k])->of(Oddity::kMissing),
                                              k == 0 ? missing_advice(name, true) : ""));
  }
  if (columns.size() <= kShown) return;
  std::string names;
  for (std::size_t k = kShown; k < std::min(columns.size(), kShown + kNamed); ++k) {
    names += (k > kShown ? "," : "") + name_of(columns[k]);
  }
  if (columns.size() > kShown + kNamed) names += ", ...";
  faults.add("missing elsewhere",
             {{.file = file.name()},
              fmt::format("values are missing in {} more columns: {}",
                          grouped(columns.size() - kShown), names),
              "--ignore, --missing indicate and --missing drop serve here too"});
}

std::string advice_for(Oddity oddity, const std::string& column, bool is_feature,
                       const Tally& tally) {
  switch (oddity) {
    case Oddity::kMissing:
      return missing_advice(column, is_feature);
    case Oddity::kText:
      if (const char* advice = other_notation(tally.first_text)) return advice;
      return looks_like_date(tally.first_text) ? "turn dates into numbers, such as days"
                                               : kWriteANumber;
    case Oddity::kNotFinite:
      return "give a finite number or leave the line out";
    case Oddity::kTooLarge:
      return "rescale the column";
    case Oddity::kNegative:
      return "counts cannot be negative; without --counts it is a measurement";
    case Oddity::kNotAProbability: {
      const ParsedNumber value = parse_number(tally.first_text);
      const bool per_cent =
          value.kind == NumberKind::kFinite && value.value > 1 && value.value <= 100;
      return per_cent ? "if these are per cents, divide them by 100"
                      : "it must lie between 0 and 1";
    }
    case Oddity::kImpossible:
      return "it is the probability of treatment 1; check which arm it was meant for";
  }
  return "";
}

}  // namespace

void ArmTally::add_other(const CsvRecords& record, std::string_view text, std::string_view id) {
  const std::string level = printable(trimmed(text));
  if (!others.contains(level) && others.size() >= kMaxOthers) {
    ++num_unnamed;
    return;
  }
  Tally& tally = others[level];
  if (tally.count++ > 0) return;
  tally.first_line = record.line();
  tally.first_id = printable(id);
}

void ArmTally::merge(const ArmTally& later) {
  for (const std::size_t arm : {0, 1}) num_in_arm[arm] += later.num_in_arm[arm];
  num_unnamed += later.num_unnamed;
  for (const auto& [level, tally] : later.others) {
    if (!others.contains(level) && others.size() >= kMaxOthers) {
      num_unnamed += tally.count;
    } else {
      others[level].merge(tally);
    }
  }
}

void report_arms(const CsvFile& file, std::size_t column, const ArmTally& arms, FaultList& faults) {
  const std::string name = printable(file.header()[column]);
  if (arms.others.empty()) {
    if ((arms.num_in_arm[0] == 0) == (arms.num_in_arm[1] == 0)) return;
    faults.add("arms", {{.file = file.name(), .column = name},
                        fmt::format("only one arm is present: {} treated, {} untreated",
                                    arms.num_in_arm[1], arms.num_in_arm[0]),
                        "nothing can be said about an arm that was never tried"});
    return;
  }
  const Tally* first = nullptr;
  std::vector<std::pair<std::uint64_t, std::string>> levels;
  for (const std::size_t arm : {0, 1}) {
    if (arms.num_in_arm[arm] > 0) levels.emplace_back(arms.num_in_arm[arm], std::to_string(arm));
  }
  for (const auto& [level, tally] : arms.others) {
    levels.emplace_back(tally.count, level);
    if (first == nullptr || tally.first_line < first->first_line) first = &tally;
  }
  const bool is_many = levels.size() > 2 || arms.num_unnamed > 0;
  constexpr std::size_t kShown = 4;
  std::stable_sort(levels.begin(), levels.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string found;
  for (std::size_t k = 0; k < std::min(levels.size(), kShown); ++k) {
    found += (k > 0 ? ", " : "") + level_text(levels[k].second, levels[k].first);
  }
  if (levels.size() > kShown) found += fmt::format(" and {} more", levels.size() - kShown);
  faults.add(
      "arms",
      {{.file = file.name(), .line = first->first_line, .column = name, .item = first->first_id},
       fmt::format("the treatment has the values {}", found),
       is_many ? "a third arm is not supported yet; keep two arms, coded 0 and 1"
               : "write 1 for treated and 0 for untreated"});
}

void report_odd_cells(const CsvFile& file, const ColumnRoles& roles, const CellTallies& odd,
                      MissingPolicy missing, FaultList& faults) {
  if (odd.empty()) return;
  const auto report = [&](std::size_t column, bool is_feature,
                          std::initializer_list<Oddity> kinds) {
    const ColumnTally* tally = odd.find(column);
    if (tally == nullptr) return;
    const std::string name = printable(file.header()[column]);
    for (const Oddity oddity : kinds) {
      if (tally->of(oddity).count == 0) continue;
      faults.add(fmt::format("oddity {} in {}", static_cast<int>(oddity), name),
                 describe(file, column, oddity, tally->of(oddity),
                          advice_for(oddity, name, is_feature, tally->of(oddity))));
    }
  };
  const bool is_refused = missing == MissingPolicy::kRefuse;
  if (roles.treatment && is_refused) report(*roles.treatment, false, {Oddity::kMissing});
  for (const NumberRole& role : roles.numbers) {
    if (is_refused) report(role.column, false, {Oddity::kMissing});
    report(role.column, false,
           {Oddity::kText, Oddity::kNotFinite, Oddity::kTooLarge, Oddity::kNotAProbability,
            Oddity::kImpossible});
  }
  for (const FeatureColumn& feature : roles.features) {
    report(feature.column, true, {Oddity::kNotFinite, Oddity::kTooLarge, Oddity::kNegative});
    if (feature.role != FeatureRole::kCount) continue;
    report(feature.column, true, {Oddity::kText});
    if (missing == MissingPolicy::kIndicate) report(feature.column, true, {Oddity::kMissing});
  }
  if (is_refused) report_missing_features(file, roles, odd, faults);
}

}  // namespace cone::load
