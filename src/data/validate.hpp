#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/base/error.hpp"
#include "cone/data/csv.hpp"

/// The rules that data must keep, one function a rule, and the words in which a breach is reported.
/// The read_ functions return a harmless value after a fault, so that a loader can go on and find
/// the rest.
namespace cone::validation {

/// An id or a feature name: not empty, valid UTF-8, no NUL.
bool read_text(CsvRecords& record, std::size_t column);

/// 0 or 1, also as 0.0 and 1.0.
std::uint8_t read_treatment(CsvRecords& record, std::size_t column, std::string_view id);

double read_finite(CsvRecords& record, std::size_t column, std::string_view id);

/// In [0, 1].
double read_probability(CsvRecords& record, std::size_t column, std::string_view id);

/// The logged action must have had a positive probability.
void check_logged_action(CsvRecords& record, std::size_t column, std::string_view id,
                         std::uint8_t treatment, double propensity);

/// Both arms must occur (where there are nodes): with one only, nothing is known about the other.
void check_arms(const std::string& file, const std::array<std::uint64_t, 2>& num_in_arm,
                FaultList& faults);

/// The column must be there; `why` completes the advice.
bool check_column(const CsvFile& file, const std::string& name, const char* why, FaultList& faults);

/// Two columns that are only useful together (y0 and y1, mu0 and mu1).
void check_pair(const CsvFile& file, const std::string& first, const std::string& second,
                FaultList& faults);

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
