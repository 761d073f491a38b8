#include "data/leakage.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace cone::load {
namespace {

constexpr std::size_t kFewestCompared = 20;
constexpr std::size_t kFewestOfAClass = 5;
constexpr std::size_t kSample = 2048;

/// Target and feature of a node.
using Pairs = std::vector<std::pair<double, double>>;

template <class Target>
Pairs collect(const Dataset& data, std::size_t column, std::size_t step, const Target& target) {
  Pairs pairs;
  for (std::size_t i = 0; i < data.num_nodes(); i += step) {
    pairs.emplace_back(target(i),
                       data.features.matrix.row(i).at(static_cast<std::uint32_t>(column)));
  }
  return pairs;
}

/// Whether the feature never decreases as the target increases, and one of the two determines the
/// other: all nodes with one target share a value, or all with one value share a target.
bool follows(const Pairs& sorted) {
  double highest_before = -std::numeric_limits<double>::infinity();
  bool target_decides = true;
  bool feature_decides = true;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      low = std::min(low, sorted[end].second);
      high = std::max(high, sorted[end].second);
    }
    if (low < highest_before) return false;
    target_decides &= low == high;
    feature_decides &= low > highest_before;
    highest_before = high;
    begin = end;
  }
  return target_decides || feature_decides;
}

/// A constant with rare exceptions may be in order by chance.
bool has_two_classes(const Pairs& pairs) {
  std::size_t num_first = 0;
  for (const auto& [target, value] : pairs) num_first += value == pairs.front().second ? 1 : 0;
  return num_first + kFewestOfAClass <= pairs.size() &&
         (num_first >= kFewestOfAClass || pairs.size() >= kFewestCompared);
}

bool is_in_order(Pairs pairs) {
  if (pairs.size() < kFewestCompared || !has_two_classes(pairs)) return false;
  std::sort(pairs.begin(), pairs.end());
  if (pairs.front().first == pairs.back().first) return false;  // everything follows a constant
  if (follows(pairs)) return true;
  for (auto& [target, value] : pairs) value = -value;
  return follows(pairs);
}

template <class Target>
bool determines(const Dataset& data, std::size_t column, const Target& target) {
  const std::size_t step = std::max<std::size_t>(1, data.num_nodes() / kSample);
  return is_in_order(collect(data, column, step, target)) &&
         (step == 1 || is_in_order(collect(data, column, 1, target)));
}

}  // namespace

Leakage find_leakage(const Dataset& data, std::size_t column) {
  // With two arms, the indicator of one determines the other.
  for (std::size_t arm = data.num_arms() == 2 ? 1 : 0; arm < data.num_arms(); ++arm) {
    const auto belongs = [&](std::size_t i) { return data.treatment[i] == arm ? 1.0 : 0.0; };
    if (determines(data, column, belongs)) return Leakage::kTreatment;
  }
  if (determines(data, column, [&](std::size_t i) { return data.outcome[i]; })) {
    return Leakage::kOutcome;
  }
  return Leakage::kNone;
}

}  // namespace cone::load
