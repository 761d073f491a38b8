#include "data/validate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/base/text.hpp"
#include "cone/data/number.hpp"

namespace cone::validation {
namespace {

/// Squares and sums of squares stay finite.
constexpr double kLargestMagnitude = 1e100;

/// Reports what is wrong with one cell. Faults of one column are one kind, so that a bad column
/// does not hide another.
void add_cell_fault(CsvRecords& record, std::size_t column, std::string_view id,
                    const std::string& what, const std::string& advice) {
  Place place = record.place(column);
  const std::string kind = "cell in " + place.column;
  if (!record.faults().has_room(kind)) {
    record.faults().add_unlisted(kind, 1);
    return;
  }
  place.item = printable(id);
  record.faults().add(kind, {std::move(place), what, advice});
}

std::string shown(std::string_view text) { return fmt::format("'{}'", printable(text)); }

void add_number_fault(CsvRecords& record, std::size_t column, std::string_view id,
                      NumberKind kind) {
  const std::string text = shown(record[column]);
  switch (kind) {
    case NumberKind::kMissing:
      return add_cell_fault(record, column, id, "the value is missing (" + text + ")",
                            "fill it in or leave the node out");
    case NumberKind::kNotFinite:
      return add_cell_fault(record, column, id, text + " is not finite",
                            "give a finite number or leave the node out");
    default:
      return add_cell_fault(record, column, id, text + " is not a number",
                            "give a decimal number such as -1.5 or 2e-3");
  }
}

/// A title that is the wanted name in other letters, or "".
std::string closest_title(const CsvFile& file, const std::string& name) {
  for (const std::string& title : file.header()) {
    std::string lower = title;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (edit_distance(lower, name) <= 1) return title;
  }
  return "";
}

}  // namespace

bool read_text(CsvRecords& record, std::size_t column) {
  const std::string_view text = record[column];
  if (text.empty()) {
    add_cell_fault(record, column, "", "is empty", "every line needs one");
    return false;
  }
  if (const char* problem = text_problem(text)) {
    add_cell_fault(record, column, "", shown(text) + " " + problem, "save as UTF-8");
    return false;
  }
  return true;
}

std::uint8_t read_treatment(CsvRecords& record, std::size_t column, std::string_view id) {
  const std::string_view text = record[column];
  if (text == "0") return 0;
  if (text == "1") return 1;
  const ParsedNumber number = parse_number(text);
  if (number.kind == NumberKind::kMissing || number.kind == NumberKind::kNotFinite) {
    add_number_fault(record, column, id, number.kind);
  } else if (number.kind == NumberKind::kNotANumber) {
    add_cell_fault(record, column, id, "the treatment is " + shown(text),
                   "write 1 for treated and 0 for untreated");
  } else if (number.value == 0 || number.value == 1) {
    return number.value == 1 ? 1 : 0;
  } else if (number.value >= 2 && number.value == std::floor(number.value)) {
    add_cell_fault(record, column, id, "the treatment is " + shown(text),
                   "a third arm is not supported yet; keep two arms, coded 0 and 1");
  } else {
    add_cell_fault(record, column, id, "the treatment is " + shown(text), "it must be 0 or 1");
  }
  return 0;
}

double read_finite(CsvRecords& record, std::size_t column, std::string_view id) {
  const ParsedNumber number = parse_number(record[column]);
  if (number.kind != NumberKind::kFinite) {
    add_number_fault(record, column, id, number.kind);
  } else if (std::abs(number.value) > kLargestMagnitude) {
    add_cell_fault(record, column, id, shown(record[column]) + " is too large to compute with",
                   "rescale the column");
  }
  return number.value;
}

double read_probability(CsvRecords& record, std::size_t column, std::string_view id) {
  const ParsedNumber number = parse_number(record[column]);
  if (number.kind != NumberKind::kFinite) {
    add_number_fault(record, column, id, number.kind);
  } else if (number.value < 0 || number.value > 1) {
    add_cell_fault(record, column, id, shown(record[column]) + " is not a probability",
                   "it must lie between 0 and 1");
  } else {
    return number.value;
  }
  return 0.5;
}

void check_logged_action(CsvRecords& record, std::size_t column, std::string_view id,
                         std::uint8_t treatment, double propensity) {
  if (treatment == 1 && propensity == 0) {
    add_cell_fault(
        record, column, id,
        "a treated node has propensity 0: its logged action had probability zero",
        "propensity is the probability of treatment 1; check which arm it was meant for");
  } else if (treatment == 0 && propensity == 1) {
    add_cell_fault(
        record, column, id,
        "an untreated node has propensity 1: its logged action had probability zero",
        "propensity is the probability of treatment 1; check which arm it was meant for");
  }
}

void check_arms(const std::string& file, const std::array<std::uint64_t, 2>& num_in_arm,
                FaultList& faults) {
  if ((num_in_arm[0] == 0) == (num_in_arm[1] == 0)) return;
  faults.add("arms", {{.file = file, .column = "treatment"},
                      fmt::format("only one arm is present: {} treated, {} untreated",
                                  num_in_arm[1], num_in_arm[0]),
                      "nothing can be said about an arm that was never tried"});
}

bool check_column(const CsvFile& file, const std::string& name, const char* why,
                  FaultList& faults) {
  if (file.column(name)) return true;
  // A header of numbers is most likely the first record.
  const bool header_missing = std::any_of(
      file.header().begin(), file.header().end(),
      [](const std::string& title) { return parse_number(title).kind == NumberKind::kFinite; });
  const std::string base = std::filesystem::path(file.name()).filename().string();
  std::string advice = why;
  if (header_missing) {
    advice = "the first line looks like data: add a header line";
  } else if (const std::string nearest = closest_title(file, name); !nearest.empty()) {
    advice = fmt::format("rename the column '{}'?", printable(nearest));
  }
  faults.add("column", {{.file = file.name(), .line = 1},
                        fmt::format("{} has no column {}", base, name),
                        std::move(advice)});
  return false;
}

void check_pair(const CsvFile& file, const std::string& first, const std::string& second,
                FaultList& faults) {
  const bool has_first = file.column(first).has_value();
  if (has_first == file.column(second).has_value()) return;
  faults.add("pair", {{.file = file.name(), .line = 1},
                      fmt::format("column {} comes without {}", has_first ? first : second,
                                  has_first ? second : first),
                      "give both or neither"});
}

void check_has_records(const CsvFile& file, const char* what, FaultList& faults) {
  if (file.num_records() > 0) return;
  faults.add("rows", {{.file = file.name()},
                      "there are no rows below the header",
                      fmt::format("add one line per {}", what)});
}

}  // namespace cone::validation
