#include "data/feature_code.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/number.hpp"
#include "data/panel_codes.hpp"
#include "data/text_shape.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

/// A level on fewer lines is merged with the other rare levels.
constexpr std::uint64_t kFewestLines = 5;
constexpr double kSmallestShare = 0.005;
/// More distinct texts than this, and more than half as many as lines: names, not categories.
constexpr std::size_t kManyLevels = 20;

/// The distinct values of one column and how many lines have each.
struct Levels {
  IdTable texts;
  std::vector<std::uint64_t> counts;

  void add(std::string_view text, std::uint64_t count) {
    const IdTable::Insertion level = texts.insert(text);
    if (level.inserted) counts.push_back(0);
    counts[level.index] += count;
  }
  std::string_view text(std::size_t k) const { return texts[static_cast<NodeIndex>(k)]; }
  std::uint64_t num_lines() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
};

/// Counts the non-missing values of some columns over the lines that are kept.
std::vector<Levels> count_levels(const Source& source, const CsvFile& file,
                                 const std::vector<std::size_t>& columns,
                                 const std::vector<std::uint8_t>& is_left_out) {
  std::vector<std::vector<Levels>> by_chunk(file.chunks().size());
  FaultList known;  // malformed lines were reported by the first pass
  file.for_each_chunk(source.context, "reading categories", known,
                      [&](std::size_t number, CsvRecords& records) {
                        std::vector<Levels>& levels = by_chunk[number];
                        levels.resize(columns.size());
                        while (records.next()) {
                          if (!is_left_out.empty() && is_left_out[records.record()] != 0) continue;
                          for (std::size_t k = 0; k < columns.size(); ++k) {
                            const std::string_view text = trimmed(records[columns[k]]);
                            if (parse_number(text).kind != NumberKind::kMissing)
                              levels[k].add(text, 1);
                          }
                        }
                      });
  std::vector<Levels> all(columns.size());
  for (std::vector<Levels>& chunk : by_chunk) {
    for (std::size_t k = 0; k < chunk.size(); ++k) {
      for (std::size_t l = 0; l < chunk[k].counts.size(); ++l) {
        all[k].add(chunk[k].text(l), chunk[k].counts[l]);
      }
    }
    chunk.clear();
  }
  return all;
}

/// How many lines hold a value with a property.
template <class Property>
std::uint64_t num_lines_with(const Levels& levels, const Property& property) {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < levels.counts.size(); ++k) {
    if (property(levels.text(k))) count += levels.counts[k];
  }
  return count;
}

bool is_plain_number(std::string_view text) {
  return parse_number(text).kind == NumberKind::kFinite;
}

/// Why a column with text cannot be a feature, and what to do. Empty where it can.
struct Refusal {
  std::string what, advice;
};

Refusal refusal_of(const Levels& levels, const std::string& name, const Tally& text) {
  const std::uint64_t num_lines = levels.num_lines();
  for (std::size_t k = 0; k < levels.counts.size(); ++k) {
    if (const char* problem = text_problem(levels.text(k))) {
      return {fmt::format("'{}' {}", printable(levels.text(k)), problem), "save as UTF-8"};
    }
  }
  const std::uint64_t num_numbers = num_lines_with(levels, is_plain_number);
  const std::uint64_t num_foreign =
      num_lines_with(levels, [](std::string_view t) { return other_notation(t) != nullptr; });
  if (num_foreign > 0 && num_foreign + num_numbers == num_lines) {
    const char* advice = other_notation(text.first_text);
    return {fmt::format("'{}' is not a plain number", text.first_text),
            advice == nullptr ? "write numbers such as -1.5 or 2e-3" : advice};
  }
  if (num_lines_with(levels, looks_like_date) == num_lines) {
    return {
        fmt::format("'{}' looks like a date", text.first_text),
        fmt::format("convert it to a number, such as days since a reference date, or --ignore {}",
                    name)};
  }
  if (2 * num_numbers >= num_lines) {
    const bool is_none = lower_case(text.first_text) == "none";
    return {fmt::format("'{}' is not a number ({} of {} lines contain text, the others numbers)",
                        text.first_text, grouped(num_lines - num_numbers), grouped(num_lines)),
            fmt::format("{1}, or --categories {0} if the numbers are codes, or --ignore {0}", name,
                        is_none ? kNoneAmongNumbers : "correct them")};
  }
  if (levels.counts.size() > kManyLevels && 2 * levels.counts.size() > num_lines) {
    return {fmt::format("{} different texts in {} lines, such as '{}', are too many for a category",
                        grouped(levels.counts.size()), grouped(num_lines), text.first_text),
            fmt::format("--ignore {0} excludes it, --id {0} uses it as the id", name)};
  }
  return {};
}

/// The levels in an order that does not depend on the order of the lines: by number where all are
/// numbers, else by text.
std::vector<std::size_t> sorted_levels(const Levels& levels) {
  std::vector<std::size_t> order(levels.counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool numeric = num_lines_with(levels, is_plain_number) == levels.num_lines();
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numeric) {
      const double x = parse_number(levels.text(a)).value;
      const double y = parse_number(levels.text(b)).value;
      if (x != y) return x < y;
    }
    return levels.text(a) < levels.text(b);
  });
  return order;
}

/// One column per level; rare levels share one, where there are two of them or more.
void code_category(const Levels& levels, const std::string& name, FeatureCode& code) {
  const auto fewest = static_cast<std::uint64_t>(
      std::max(static_cast<double>(kFewestLines),
               std::ceil(kSmallestShare * static_cast<double>(levels.num_lines()))));
  const auto num_rare = std::count_if(levels.counts.begin(), levels.counts.end(),
                                      [&](std::uint64_t count) { return count < fewest; });
  const bool merge = num_rare > 1;
  std::vector<std::size_t> rare;
  code.kind = FeatureKind::kCategory;
  for (const std::size_t k : sorted_levels(levels)) {
    if (merge && levels.counts[k] < fewest) {
      rare.push_back(k);
      continue;
    }
    code.levels.insert(levels.text(k));
    code.code.push_back(static_cast<std::uint32_t>(code.names.size()));
    code.names.push_back(fmt::format("{}={}", name, levels.text(k)));
  }
  if (rare.empty()) return;
  for (const std::size_t k : rare) {
    code.levels.insert(levels.text(k));
    code.code.push_back(static_cast<std::uint32_t>(code.names.size()));
  }
  code.names.push_back(name + "=(other)");
}

void check_coded_names(const CsvFile& file, const std::vector<FeatureCode>& codes,
                       FaultList& faults) {
  std::unordered_set<std::string_view> seen;
  for (const FeatureCode& code : codes) {
    for (const std::string& name : code.names) {
      if (seen.insert(name).second) continue;
      validation::add_fault(faults, "coded name", [&]() -> Fault {
        return {{.file = file.name(), .line = 1, .column = printable(file.header()[code.column])},
                fmt::format("two features would be called '{}'", printable(name)),
                "rename a column or a level"};
      });
    }
  }
}

}  // namespace

const char* kind_name(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kNumber:
      return "number";
    case FeatureKind::kIndicator:
      return "indicator";
    case FeatureKind::kCategory:
      return "category";
    case FeatureKind::kCount:
      break;
  }
  return "count";
}

std::vector<FeatureCode> choose_codes(const Source& source, const CsvFile& file,
                                      const ColumnRoles& roles, const CellTallies& odd,
                                      const std::vector<std::uint8_t>& is_left_out) {
  std::vector<std::size_t> text_columns;
  for (const FeatureColumn& feature : roles.features) {
    const bool has_text = odd.count(feature.column, Oddity::kText) > 0;
    if (feature.role == FeatureRole::kCategory ||
        (feature.role == FeatureRole::kNumeric && has_text)) {
      text_columns.push_back(feature.column);
    }
  }
  const std::vector<Levels> all_levels = count_levels(source, file, text_columns, is_left_out);

  std::vector<FeatureCode> codes;
  std::size_t next_text = 0;
  for (const FeatureColumn& feature : roles.features) {
    const std::string& name = file.header()[feature.column];
    FeatureCode& code = codes.emplace_back();
    code.column = feature.column;
    if (feature.role == FeatureRole::kCount) {
      code.kind = FeatureKind::kCount;
      code.names = {name};
      continue;
    }
    const bool may_be_missing = source.options.missing == MissingPolicy::kIndicate &&
                                odd.count(feature.column, Oddity::kMissing) > 0;
    if (next_text < text_columns.size() && text_columns[next_text] == feature.column) {
      const Levels& levels = all_levels[next_text++];
      const bool is_truth =
          levels.num_lines() > 0 && num_lines_with(levels, [](std::string_view text) {
                                      return parse_truth_value(text).has_value();
                                    }) == levels.num_lines();
      if (is_truth) {
        code.kind = FeatureKind::kIndicator;
        code.names = {name};
      } else {
        if (feature.role != FeatureRole::kCategory) {
          const Tally& text = odd.find(feature.column)->of(Oddity::kText);
          Refusal refusal = refusal_of(levels, printable(name), text);
          if (!refusal.what.empty()) {
            source.faults.add(
                "text in " + name,
                {{.file = file.name(), .line = text.first_row, .column = printable(name)},
                 std::move(refusal.what),
                 std::move(refusal.advice)});
            continue;
          }
        }
        if (source.options.cluster.empty() && are_unit_codes(levels.counts)) {
          source.notes.push_back(describe_unit_codes(printable(name), levels.counts.size(),
                                                     levels.num_lines(),
                                                     fmt::format("--ignore {}", printable(name))));
        }
        code_category(levels, name, code);
      }
    } else {
      code.names = {name};
    }
    if (may_be_missing) {
      code.missing_code = static_cast<std::uint32_t>(code.names.size());
      code.names.push_back(name + "=(missing)");
    }
  }
  check_coded_names(file, codes, source.faults);
  return codes;
}

}  // namespace cone::load
