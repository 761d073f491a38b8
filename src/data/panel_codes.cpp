#include "data/panel_codes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/suspicious_numbers.hpp"

namespace cone::load {
namespace {

constexpr std::size_t kFewestUnits = 20;
/// A column with more values is not a time index.
constexpr std::size_t kMostTimes = 400;
/// Expected number of equal pairs of rows, by chance, from which their absence is evidence.
constexpr double kExpectedPairs = 20;

/// The values of a column of whole numbers and how many rows have each.
struct WholeNumbers {
  bool is_whole = true;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint32_t> value_of_row;
  double low = 0, high = 0;

  std::uint64_t num_values() const { return counts.size(); }
  /// Pairs of rows with the same value.
  double num_pairs() const {
    double pairs = 0;
    for (const std::uint64_t c : counts) {
      pairs += 0.5 * static_cast<double>(c) * static_cast<double>(c - 1);
    }
    return pairs;
  }
};

WholeNumbers count_values(const Matrix<double>& columns, std::size_t column) {
  WholeNumbers out;
  const std::size_t n = columns.rows();
  std::vector<std::pair<double, std::uint32_t>> sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    sorted[i] = {columns(i, column), static_cast<std::uint32_t>(i)};
    if (std::floor(sorted[i].first) != sorted[i].first) {
      out.is_whole = false;
      return out;
    }
  }
  std::ranges::sort(sorted);
  out.low = sorted.front().first;
  out.high = sorted.back().first;
  out.value_of_row.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || sorted[k].first != sorted[k - 1].first) out.counts.push_back(0);
    ++out.counts.back();
    out.value_of_row[sorted[k].second] = static_cast<std::uint32_t>(out.counts.size() - 1);
  }
  return out;
}

bool is_time(const std::string& name, const WholeNumbers& values) {
  for (const std::string_view word : {"year", "yr", "month", "week", "day", "date", "time",
                                      "period", "wave", "quarter", "round", "visit", "hour", "t"}) {
    if (has_word(name, word)) return true;
  }
  return values.low >= 1800 && values.high <= 2100;
}

/// Frequencies of numbers drawn at random are at least as dispersed as Poisson counts, however
/// unequal their probabilities; designs and panels give all units nearly the same number of rows.
bool vary_less_than_chance(const WholeNumbers& values) {
  const auto num = static_cast<double>(values.num_values());
  const double mean = static_cast<double>(values.value_of_row.size()) / num;
  double squares = 0;
  for (const std::uint64_t c : values.counts) {
    squares += (static_cast<double>(c) - mean) * (static_cast<double>(c) - mean);
  }
  const double dispersion = squares / (num - 1) / mean;
  constexpr double kStandardErrors = 5;
  return dispersion == 0 || dispersion < 1 - kStandardErrors * std::sqrt(2 / (num - 1));
}

/// 0, ..., 99 and 1, ..., 100, all equally frequent, are percentiles.
bool are_quantiles(const WholeNumbers& values) {
  const std::uint64_t num = values.num_values();
  return (values.low == 0 || values.low == 1) &&
         values.high - values.low + 1 == static_cast<double>(num) &&
         (num == 20 || num == 25 || num == 50 || num == 100);
}

bool may_be_units(const WholeNumbers& values, std::size_t num_rows) {
  return values.is_whole && values.num_values() >= kFewestUnits &&
         2 * values.num_values() <= num_rows;
}

/// Whether no two rows have the same unit and the same time, though many would by chance.
bool are_distinguished(const WholeNumbers& units, const WholeNumbers& times) {
  const auto n = static_cast<double>(units.value_of_row.size());
  const double expected = units.num_pairs() * (2 * times.num_pairs() / (n * n));
  if (!(expected > kExpectedPairs)) return false;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < units.value_of_row.size(); ++i) {
    const std::uint64_t pair = std::uint64_t{units.value_of_row[i]} << 32 | times.value_of_row[i];
    if (!seen.insert(pair).second) return false;
  }
  return true;
}

}  // namespace

bool are_unit_codes(std::vector<std::uint64_t> rows_by_text) {
  if (rows_by_text.size() < kFewestUnits) return false;
  std::ranges::sort(rows_by_text);
  const std::uint64_t median = rows_by_text[rows_by_text.size() / 2];
  const auto num_single =
      static_cast<std::size_t>(std::ranges::count(rows_by_text, std::uint64_t{1}));
  return 10 * num_single <= rows_by_text.size() && rows_by_text.back() <= 3 * median;
}

std::string describe_unit_codes(const std::string& name, std::uint64_t num_codes,
                                std::uint64_t num_rows, const std::string& without) {
  return fmt::format(
      "column '{0}' looks like the id of a unit observed in several rows ({1} in {2}): if so, use "
      "--cluster {0} for cluster-robust standard errors; if it is another code, {3}",
      name, counted(num_codes, "value"), counted(num_rows, "row"), without);
}

std::vector<std::optional<std::uint64_t>> find_unit_codes(const Context& context,
                                                          const Matrix<double>& columns,
                                                          std::span<const std::string> names) {
  const std::size_t n = columns.rows();
  std::vector<WholeNumbers> values(columns.cols());
  context.for_each_range(columns.cols(), 1, [&](std::size_t c, std::size_t) {
    values[c] = count_values(columns, c);
    // Columns that are neither a unit nor a time are dropped.
    if (!may_be_units(values[c], n) && values[c].num_values() > kMostTimes) values[c] = {};
  });
  std::vector<std::optional<std::uint64_t>> found(columns.cols());
  context.for_each_range(columns.cols(), 1, [&](std::size_t c, std::size_t) {
    const WholeNumbers& units = values[c];
    if (!may_be_units(units, n) || is_time(names[c], units)) return;
    const bool more_units_than_rows = units.num_values() * units.num_values() >= n;
    bool is_found = more_units_than_rows && vary_less_than_chance(units) && !are_quantiles(units);
    for (std::size_t t = 0; t < values.size() && !is_found; ++t) {
      const WholeNumbers& times = values[t];
      if (t == c || !times.is_whole || times.num_values() < 2 || times.num_values() > kMostTimes ||
          (times.num_values() > units.num_values() && !is_time(names[t], times))) {
        continue;
      }
      is_found = are_distinguished(units, times);
    }
    if (is_found) found[c] = units.num_values();
  });
  return found;
}

}  // namespace cone::load
