#include "data/suspicious_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
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

constexpr double kNormal = 1.4826;

/// Both ends of a column of two values or more, and what comes next to them.
struct Ends {
  double low = 0, next_low = 0, next_high = 0, high = 0;
  std::size_t num_low = 0, num_high = 0;
};

Ends find_ends(std::span<const double> values) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Ends out{.low = kNone, .next_low = kNone, .next_high = -kNone, .high = -kNone};
  for (const double v : values) {
    if (v < out.low) {
      out.next_low = std::exchange(out.low, v);
      out.num_low = 0;
    } else if (v > out.low) {
      out.next_low = std::min(out.next_low, v);
    }
    if (v > out.high) {
      out.next_high = std::exchange(out.high, v);
      out.num_high = 0;
    } else if (v < out.high) {
      out.next_high = std::max(out.next_high, v);
    }
    out.num_low += v == out.low ? 1 : 0;
    out.num_high += v == out.high ? 1 : 0;
  }
  return out;
}

/// Most columns say so within a few lines.
bool has_more_values_than(std::size_t most, std::span<const double> values) {
  std::vector<double> seen;
  for (const double v : values) {
    if (std::ranges::find(seen, v) != seen.end()) continue;
    if (seen.size() == most) return true;
    seen.push_back(v);
  }
  return false;
}

/// The upper one of an even number. Puts the values into another order.
double find_median(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

/// kNormal times the median distance from the median: the standard deviation of normal numbers.
double robust_sd(std::vector<double> values, double median) {
  for (double& v : values) v = std::abs(v - median);
  return kNormal * find_median(values);
}

/// A code for "missing" at an end of the column: all other values are many, and of another kind.
std::optional<double> find_missing_code(const Ends& ends) {
  if (ends.num_low >= kFewestCodes && ends.next_low >= 0 &&
      std::ranges::find(kNegativeCodes, ends.low) != kNegativeCodes.end()) {
    return ends.low;
  }
  if (ends.num_high >= kFewestCodes && ends.next_high < ends.high / 2 && ends.low >= 0 &&
      std::ranges::find(kPositiveCodes, ends.high) != kPositiveCodes.end()) {
    return ends.high;
  }
  return std::nullopt;
}

struct Outlier {
  double value = 0;
  double median = 0, sd = 0;  ///< of the column; the robust one
};

/// The most distant value, where a few are far from all others.
std::optional<Outlier> find_outlier(std::vector<double> values, const Ends& ends) {
  const double median = find_median(values);
  const double sd = robust_sd(values, median);
  if (sd == 0) return std::nullopt;  // mostly one value: the others are a class
  if (std::max(ends.high - median, median - ends.low) <= kFarOut * sd) return std::nullopt;
  double log_sd = 0;
  if (ends.low > 0) {
    std::vector<double> logs(values.size());
    std::ranges::transform(values, logs.begin(), [](double v) { return std::log(v); });
    log_sd = robust_sd(std::move(logs), std::log(median));
  }
  const auto is_far = [&](double v) {
    if (std::abs(v - median) <= kFarOut * sd) return false;
    return !(ends.low > 0) || std::abs(std::log(v) - std::log(median)) > kFarOutInLogs * log_sd;
  };
  const auto num_far = static_cast<double>(std::ranges::count_if(values, is_far));
  if (num_far == 0 || num_far > 1 + kFewFarOut * static_cast<double>(values.size())) {
    return std::nullopt;
  }
  return Outlier{ends.high - median > median - ends.low ? ends.high : ends.low, median, sd};
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
                                                  const std::vector<double>& values) {
  if (!has_more_values_than(kValuesOfANumber, values)) return std::nullopt;
  const Ends ends = find_ends(values);
  if (const auto code = find_missing_code(ends)) {
    return fmt::format(
        "{} is {:.10g} for {} nodes, apart from all its other values: if that stands for a missing "
        "value, leave the cell empty and say --missing indicate",
        what, *code, grouped(*code == ends.low ? ends.num_low : ends.num_high));
  }
  const auto far = find_outlier(values, ends);
  if (!far) return std::nullopt;
  return fmt::format(
      "{} has {:.10g}, far from all other values (half of them lie within {:.3g} of {:.4g}): if it "
      "is a mistake, mend it; if not, cut it off at a value that is still common",
      what, far->value, far->sd / kNormal, far->median);
}

bool looks_like_a_code(const std::string& name, std::vector<double> values) {
  constexpr std::size_t kValuesOfACode = 20;
  const auto is_whole = [](double v) { return std::floor(v) == v; };
  if (!std::ranges::all_of(values, is_whole) || !has_more_values_than(kValuesOfACode, values)) {
    return false;
  }
  for (const std::string_view word : {"id", "ids", "zip", "zipcode", "postcode", "postal", "plz",
                                      "code", "phone", "iban", "isbn", "ssn"}) {
    if (has_word(name, word)) return true;
  }
  // Every node another one of hardly more numbers than nodes: a numbering.
  const auto [low, high] = std::ranges::minmax(values);
  if (!(high - low < 1.05 * static_cast<double>(values.size()))) return false;
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

std::optional<std::string> describe_tail(std::vector<double> outcomes) {
  const std::size_t n = outcomes.size();
  if (n < kFewestForATail || !has_more_values_than(kValuesOfANumber, outcomes)) return std::nullopt;
  const double median = find_median(outcomes);
  for (double& v : outcomes) v = std::abs(v - median);
  std::ranges::sort(outcomes, std::greater<>());
  const double share = sum(std::span(outcomes).first(n / 100)) / sum(outcomes);
  if (!(share > kHeavyTail)) return std::nullopt;
  return fmt::format(
      "the most extreme hundredth of the outcomes makes up {:.0f} % of all distance from their "
      "median: means rest on few nodes, and intervals are too sure; evaluate the logarithm as "
      "well, or the outcome cut off at a high value",
      100 * share);
}

}  // namespace cone::load
