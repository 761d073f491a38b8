#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"

#include "data/csv.hpp"

/// The rules that data must satisfy, one function per rule, and the messages that report
/// violations. The read_ functions return a harmless value after a fault, so that a loader can
/// continue and find the rest.
namespace cone::validation {

/// An id or a feature name: not empty, valid UTF-8, no NUL.
bool read_text(CsvRecords& record, std::size_t column);

double read_finite(CsvRecords& record, std::size_t column, std::string_view id);

/// In [0, 1].
double read_probability(CsvRecords& record, std::size_t column, std::string_view id);

/// The column must exist; `why` is the advice where no better one applies.
bool check_column(const CsvFile& file, const std::string& name, const char* why, FaultList& faults);

void check_has_records(const CsvFile& file, const char* what, FaultList& faults);

/// Describes `fault` only where the list still has room for its kind.
template <class Describe>
void add_fault(FaultList& faults, const std::string& kind, const Describe& describe) {
  if (faults.has_room(kind)) {
    faults.add(kind, describe());
  } else {
    faults.add_unlisted(kind, 1);
  }
}

}  // namespace cone::validation
