#include "data/validate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/number.hpp"

namespace cone::validation {
namespace {

/// Reports an invalid cell. Faults of one column with the same advice are one kind, so that neither
/// a bad column nor a bad line hides another.
void add_cell_fault(CsvRecords& record, std::size_t column, std::string_view id,
                    const std::string& what, const std::string& advice) {
  Place place = record.place(column);
  const std::string kind = fmt::format("cell in {}: {}", place.column, advice);
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
                            "fill it in or drop the node");
    case NumberKind::kNotFinite:
      return add_cell_fault(record, column, id, text + " is not finite",
                            "give a finite number or drop the node");
    default:
      return add_cell_fault(record, column, id, text + " is not a number",
                            "give a decimal number such as -1.5 or 2e-3");
  }
}

}  // namespace

bool read_text(CsvRecords& record, std::size_t column) {
  const std::string_view text = record[column];
  if (text.empty()) {
    add_cell_fault(record, column, "", "is empty", "give every line a value");
    return false;
  }
  if (const char* problem = text_problem(text)) {
    add_cell_fault(record, column, "", shown(text) + " " + problem, "save as UTF-8");
    return false;
  }
  return true;
}

double read_finite(CsvRecords& record, std::size_t column, std::string_view id) {
  const ParsedNumber number = parse_number(record[column]);
  if (number.kind != NumberKind::kFinite) {
    add_number_fault(record, column, id, number.kind);
  } else if (const char* problem = number_problem(number.value)) {
    add_cell_fault(record, column, id, fmt::format("{} {}", shown(record[column]), problem),
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
  } else if (const std::string nearest = closest_name(name, file.header()); !nearest.empty()) {
    advice = fmt::format("rename the column '{}'?", printable(nearest));
  }
  faults.add("column", {{.file = file.name(), .line = 1},
                        fmt::format("{} has no column {}", base, name),
                        std::move(advice)});
  return false;
}

void check_has_records(const CsvFile& file, const char* what, FaultList& faults) {
  if (file.num_records() > 0) return;
  faults.add("rows", {{.file = file.name()},
                      "there are no rows below the header",
                      fmt::format("add one line per {}", what)});
}

}  // namespace cone::validation
