#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

/// Columns with the id of a unit observed in several rows: panel data, pupils of a class. Rows of a
/// unit are not independent, and as a number its code means nothing.
namespace cone::load {

/// Whether texts are such codes, by how many rows have each: nearly all have several, and none has
/// many more than the others. Categories have frequent and rare levels.
bool are_unit_codes(std::vector<std::uint64_t> rows_by_text);

/// The warning about such a column, with the flags to use. `without`: how to exclude the column.
std::string describe_unit_codes(const std::string& name, std::uint64_t num_codes,
                                std::uint64_t num_rows, const std::string& without);

/// Of columns of numbers (one row per node), those that hold such codes, and how many different
/// ones. They are whole numbers of which
///
/// - every one is in equally many rows, or the rows per number vary far less than by chance: ages,
///   counts and ratings vary at least by chance; or
/// - none occurs twice with the same value of another column of few values, which would be the
///   time, where many such pairs would occur by chance.
///
/// A column with the name of a time, or with years, does not identify units.
std::vector<std::optional<std::uint64_t>> find_unit_codes(const Context& context,
                                                          const Matrix<double>& columns,
                                                          std::span<const std::string> names);

}  // namespace cone::load
