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

#include "cone/text.hpp"

#include "base/numeric.hpp"

namespace cone::load {
namespace {

/// Values beyond this many robust standard deviations are far from all others; in a column of
/// positive numbers, which may be skewed, their logarithms must be as well.
constexpr double kFarOut = 20;
constexpr double kFarOutInLogs = 8;
/// More than this fraction of far values is a tail rather than mistakes.
constexpr double kFewFarOut = 0.01;
/// A column with fewer distinct values is a rating scale or a class.
constexpr std::size_t kValuesOfANumber = 5;
/// Usual codes for "missing", below all other values and above them.
constexpr std::array kNegativeCodes = {-1.0,  -7.0,  -8.0,   -9.0,    -77.0,
                                       -88.0, -99.0, -999.0, -9999.0, -99999.0};
constexpr std::array kPositiveCodes = {99.0, 999.0, 9999.0, 99999.0, 999999.0};
constexpr std::size_t kFewestCodes = 3;
/// Distance of a code from a column with few values, as a multiple of their range: 99 from 0 and 1.
constexpr double kFarFromFewValues = 5;
/// Share of the most extreme 1 % of the outcomes in the total absolute deviation from the median.
constexpr double kHeavyTail = 0.3;
constexpr std::size_t kFewestForATail = 200;

constexpr double kNormal = 1.4826;

/// Most columns are decided within a few lines.
bool has_more_values_than(std::size_t most, std::span<const double> values) {
  std::vector<double> seen;
  for (const double v : values) {
    if (std::ranges::find(seen, v) != seen.end()) continue;
    if (seen.size() == most) return true;
    seen.push_back(v);
  }
  return false;
}

/// The upper median of an even number of values. Reorders the values.
double find_median(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

/// kNormal times the median absolute deviation: the standard deviation of normal data.
double robust_sd(std::vector<double> values, double median) {
  for (double& v : values) v = std::abs(v - median);
  return kNormal * find_median(values);
}

struct MissingCode {
  double code = 0;
  std::size_t times = 0;
};

/// The most frequent of `codes` that lies apart from the values that are not codes.
template <class Codes, class IsApart>
void keep_most_frequent(const Codes& codes, std::span<const double> coded, const IsApart& is_apart,
                        MissingCode& best) {
  for (const double code : codes) {
    const auto times = static_cast<std::size_t>(std::ranges::count(coded, code));
    if (times >= kFewestCodes && times > best.times && is_apart(code)) best = {code, times};
  }
}

/// The most frequent code for "missing" that lies apart from all values that are not codes. Among
/// many distinct values, the code has another sign, is twice as large as all of them, or is further
/// from them than they are from each other; among few (a rating scale, a class), much further.
std::optional<MissingCode> find_missing_code(std::span<const double> values) {
  const auto is_code = [](double v) {
    return std::floor(v) == v && (std::ranges::find(kNegativeCodes, v) != kNegativeCodes.end() ||
                                  std::ranges::find(kPositiveCodes, v) != kPositiveCodes.end());
  };
  std::vector<double> coded;
  std::vector<double> others;
  for (const double v : values) (is_code(v) ? coded : others).push_back(v);
  if (coded.size() < kFewestCodes || !has_more_values_than(1, others)) return std::nullopt;
  const bool is_number = has_more_values_than(kValuesOfANumber - 1, others);
  const double low = *std::ranges::min_element(others);
  const double high = *std::ranges::max_element(others);
  const double far = (is_number ? 1 : kFarFromFewValues) * (high - low);
  MissingCode best;
  keep_most_frequent(
      kNegativeCodes, coded,
      [&](double code) { return (is_number && low >= 0) || low - code > far; }, best);
  keep_most_frequent(
      kPositiveCodes, coded,
      [&](double code) { return (is_number && low >= 0 && high < code / 2) || code - high > far; },
      best);
  if (best.times == 0) return std::nullopt;
  return best;
}

struct Outlier {
  double value = 0;
  double median = 0, sd = 0;  ///< of the column; sd is the robust one
};

/// The most distant value, where a few are far from all others.
std::optional<Outlier> find_outlier(std::vector<double> values) {
  const double low = *std::ranges::min_element(values);
  const double high = *std::ranges::max_element(values);
  const double median = find_median(values);
  const double sd = robust_sd(values, median);
  if (sd == 0) return std::nullopt;  // mostly one value: the others are a class
  if (std::max(high - median, median - low) <= kFarOut * sd) return std::nullopt;
  double log_sd = 0;
  if (low > 0) {
    std::vector<double> logs(values.size());
    std::ranges::transform(values, logs.begin(), [](double v) { return std::log(v); });
    log_sd = robust_sd(std::move(logs), std::log(median));
  }
  const auto is_far = [&](double v) {
    if (std::abs(v - median) <= kFarOut * sd) return false;
    return !(low > 0) || std::abs(std::log(v) - std::log(median)) > kFarOutInLogs * log_sd;
  };
  const auto num_far = static_cast<double>(std::ranges::count_if(values, is_far));
  if (num_far == 0 || num_far > 1 + kFewFarOut * static_cast<double>(values.size())) {
    return std::nullopt;
  }
  return Outlier{high - median > median - low ? high : low, median, sd};
}

}  // namespace

std::optional<std::string> describe_strange_value(const std::string& what,
                                                  const std::vector<double>& values) {
  if (const auto found = find_missing_code(values)) {
    return fmt::format(
        "{} is {:.10g} for {} nodes, apart from all its other values: if this is a code for a "
        "missing value, leave the cells empty and use --missing indicate",
        what, found->code, grouped(found->times));
  }
  if (!has_more_values_than(kValuesOfANumber, values)) return std::nullopt;
  const auto far = find_outlier(values);
  if (!far) return std::nullopt;
  return fmt::format(
      "{} has the value {:.10g}, far from all others (half of them lie within {:.3g} of {:.4g}): "
      "check the entry. Counts and spending often have such values; truncating a correct one "
      "changes the estimand",
      what, far->value, far->sd / kNormal, far->median);
}

bool has_word(std::string_view name, std::string_view word) {
  const std::vector<std::string> words = split_name(name);
  return std::ranges::find(words, word) != words.end();
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
  // All different, and hardly more possible numbers than nodes: a numbering.
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
      "heavy-tailed outcome: the most extreme 1 % of the nodes contribute {:.0f} % of the total "
      "absolute deviation from the median, so means depend on few nodes and intervals are probably "
      "too narrow; check whether the logarithm or a truncated outcome, which are other estimands, "
      "leads to the same decision",
      100 * share);
}

}  // namespace cone::load
