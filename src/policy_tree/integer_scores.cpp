#include "policy_tree/integer_scores.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

namespace cone {
namespace {

/// Bound of the exponent of all sums: prefix sums of differences plus the marker of closed prefixes
/// (2^61, PrefixExtremes) must not overflow.
constexpr int kSumExponent = 59;

}  // namespace

std::int64_t IntegerScores::largest_difference() const {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    std::int64_t low = of_arm(0)[i];
    std::int64_t high = low;
    for (std::size_t a = 1; a < num_arms; ++a) {
      low = std::min(low, of_arm(a)[i]);
      high = std::max(high, of_arm(a)[i]);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

IntegerScores IntegerScores::charge(std::int64_t price) const {
  IntegerScores out = *this;
  for (std::size_t k = num_nodes; k < out.values.size(); ++k) out.values[k] -= price;
  return out;
}

IntegerScores IntegerScores::take(std::span<const std::uint32_t> rows) const {
  IntegerScores out{.num_nodes = rows.size(), .num_arms = num_arms, .values = {}, .unit = unit};
  out.values.reserve(rows.size() * num_arms);
  for (std::size_t a = 0; a < num_arms; ++a) {
    for (const std::uint32_t i : rows) out.values.push_back(of_arm(a)[i]);
  }
  return out;
}

IntegerScores round_scores(MatrixView<const double> scores) {
  const std::size_t n = scores.rows();
  const std::size_t num_arms = scores.cols();
  std::vector<double> midpoint(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [low, high] = std::minmax_element(scores.row(i).begin(), scores.row(i).end());
    require(std::isfinite(*low) && std::isfinite(*high), "policy tree: a score is not finite");
    midpoint[i] = *low / 2 + *high / 2;
    largest = std::max(largest, *high - midpoint[i]);
  }
  IntegerScores out{.num_nodes = n, .num_arms = num_arms, .values = {}, .unit = 1};
  out.values.assign(n * num_arms, 0);
  if (!(largest > 0)) return out;
  require(std::isfinite(largest), "policy tree: scores overflow");
  // Differences are up to twice the distance from the midpoint; a price doubles them again.
  int exponent = 0;
  std::frexp(largest * 4 * static_cast<double>(n), &exponent);
  const int shift = std::clamp(kSumExponent - exponent, -1000, 1000);
  out.unit = std::ldexp(1.0, -shift);
  for (std::size_t a = 0; a < num_arms; ++a) {
    for (std::size_t i = 0; i < n; ++i) {
      out.values[a * n + i] = std::llround(std::ldexp(scores(i, a) - midpoint[i], shift));
    }
  }
  return out;
}

}  // namespace cone
