#include "data/suspicious_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/text.hpp"

namespace cone::load {
namespace {

/// Values beyond this many robust standard deviations are far from all others; of a column of
/// positive numbers, which may be skewed, their logarithms as well.
constexpr double kFarOut = 20;
constexpr double kFarOutInLogs = 8;
/// More than this share are a tail, and not mistakes.
constexpr double kFewFarOut = 0.01;
/// A number with fewer other values is a scale or a class.
constexpr std::size_t kValuesOfANumber = 5;
/// What people write for "missing".
constexpr std::array kNegativeCodes = {-1.0,  -7.0,  -8.0,   -9.0,    -77.0,
                                       -88.0, -99.0, -999.0, -9999.0, -99999.0};
constexpr std::array kPositiveCodes = {99.0, 999.0, 9999.0, 99999.0, 999999.0};
constexpr std::size_t kFewestCodes = 3;
/// The largest hundredth of the outcomes carries this much of all distance from the median.
constexpr double kHeavyTail = 0.3;
constexpr std::size_t kFewestForATail = 200;

struct SortedColumn {
  std::vector<double> values;  ///< ascending
  std::vector<std::pair<double, std::size_t>> counts;

  double median() const { return values[values.size() / 2]; }
};

SortedColumn sort_column(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  SortedColumn out{std::move(values), {}};
  for (const double v : out.values) {
    if (out.counts.empty() || out.counts.back().first != v) out.counts.emplace_back(v, 0);
    ++out.counts.back().second;
  }
  return out;
}

constexpr double kNormal = 1.4826;

/// kNormal times the median distance from the median: the standard deviation of normal numbers.
double robust_sd(std::span<const double> sorted) {
  const double middle = sorted[sorted.size() / 2];
  std::vector<double> distance;
  for (const double v : sorted) distance.push_back(std::abs(v - middle));
  const auto half = distance.begin() + static_cast<std::ptrdiff_t>(distance.size() / 2);
  std::nth_element(distance.begin(), half, distance.end());
  return kNormal * *half;
}

/// A code for "missing" at an end of the column: all other values are many, and of another kind.
std::optional<double> find_missing_code(const SortedColumn& column) {
  if (column.counts.size() <= kValuesOfANumber) return std::nullopt;
  const auto& [low, num_low] = column.counts.front();
  const auto& [high, num_high] = column.counts.back();
  const double next_low = column.counts[1].first;
  const double next_high = column.counts[column.counts.size() - 2].first;
  if (num_low >= kFewestCodes && next_low >= 0 &&
      std::ranges::find(kNegativeCodes, low) != kNegativeCodes.end()) {
    return low;
  }
  if (num_high >= kFewestCodes && next_high < high / 2 && low >= 0 &&
      std::ranges::find(kPositiveCodes, high) != kPositiveCodes.end()) {
    return high;
  }
  return std::nullopt;
}

/// The most distant value, where a few are far from all others.
std::optional<double> find_outlier(const SortedColumn& column) {
  if (column.counts.size() <= kValuesOfANumber) return std::nullopt;
  const double sd = robust_sd(column.values);
  if (sd == 0) return std::nullopt;  // mostly one value: the others are a class
  std::vector<double> logs;
  if (column.values.front() > 0) {
    for (const double v : column.values) logs.push_back(std::log(v));
  }
  const double log_sd = logs.empty() ? 0 : robust_sd(logs);
  const auto is_far = [&](double v) {
    if (std::abs(v - column.median()) <= kFarOut * sd) return false;
    return logs.empty() ||
           std::abs(std::log(v) - std::log(column.median())) > kFarOutInLogs * log_sd;
  };
  const auto num_far =
      static_cast<double>(std::count_if(column.values.begin(), column.values.end(), is_far));
  if (num_far == 0 || num_far > 1 + kFewFarOut * static_cast<double>(column.values.size())) {
    return std::nullopt;
  }
  const double low = column.values.front();
  const double high = column.values.back();
  return high - column.median() > column.median() - low ? high : low;
}

/// Whether the name has the word as a part of its own: home_zip, ZIP, zipCode2.
bool has_word(std::string_view name, std::string_view word) {
  std::string lower;
  for (const char c : name) {
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  const auto is_letter = [&](std::size_t at) { return lower[at] >= 'a' && lower[at] <= 'z'; };
  for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(at - 1)) && (end == lower.size() || !is_letter(end))) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> describe_strange_value(const std::string& what,
                                                  std::vector<double> values) {
  const SortedColumn column = sort_column(std::move(values));
  if (const auto code = find_missing_code(column)) {
    const bool is_low = column.counts.front().first == *code;
    const std::size_t times = (is_low ? column.counts.front() : column.counts.back()).second;
    return fmt::format(
        "{} is {:.10g} for {} nodes, apart from all its other values: if that stands for a missing "
        "value, leave the cell empty and say --missing indicate",
        what, *code, grouped(times));
  }
  const auto far = find_outlier(column);
  if (!far) return std::nullopt;
  return fmt::format(
      "{} has {:.10g}, far from all other values (half of them lie within {:.3g} of {:.4g}): if it "
      "is a mistake, mend it; if not, cut it off at a value that is still common",
      what, *far, robust_sd(column.values) / kNormal, column.median());
}

bool looks_like_a_code(const std::string& name, std::vector<double> values) {
  constexpr std::size_t kValuesOfACode = 20;
  const SortedColumn column = sort_column(std::move(values));
  const bool is_whole = std::ranges::all_of(
      column.counts, [](const auto& entry) { return std::floor(entry.first) == entry.first; });
  if (column.counts.size() <= kValuesOfACode || !is_whole) return false;
  for (const std::string_view word : {"id", "ids", "zip", "zipcode", "postcode", "postal", "plz",
                                      "code", "phone", "iban", "isbn", "ssn"}) {
    if (has_word(name, word)) return true;
  }
  // Every node another one of hardly more numbers than nodes: a numbering.
  return column.counts.size() == column.values.size() &&
         column.values.back() - column.values.front() <
             1.05 * static_cast<double>(column.values.size());
}

std::optional<std::string> describe_tail(std::vector<double> outcomes) {
  const SortedColumn column = sort_column(std::move(outcomes));
  const std::size_t n = column.values.size();
  if (n < kFewestForATail || column.counts.size() <= kValuesOfANumber) return std::nullopt;
  std::vector<double> distance;
  for (const double v : column.values) distance.push_back(std::abs(v - column.median()));
  std::sort(distance.begin(), distance.end(), std::greater<>());
  const double share = sum(std::span(distance).first(n / 100)) / sum(distance);
  if (!(share > kHeavyTail)) return std::nullopt;
  return fmt::format(
      "the most extreme hundredth of the outcomes makes up {:.0f} % of all distance from their "
      "median: means rest on few nodes, and intervals are too sure; evaluate the logarithm as "
      "well, or the outcome cut off at a high value",
      100 * share);
}

}  // namespace cone::load
