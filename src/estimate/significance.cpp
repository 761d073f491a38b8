#include "estimate/significance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr double kSmallestTail = 1e-300;
constexpr double kLargestNormal = 37;  // whose tail is about as small

TestResult lower_tail(double difference, double standard_error, double degrees_of_freedom) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (!(standard_error > 0)) return {kNan, degrees_of_freedom, kNan};
  const double t = difference / standard_error;
  const boost::math::students_t distribution(degrees_of_freedom);
  return {t, degrees_of_freedom, boost::math::cdf(distribution, t)};
}

}  // namespace

TestResult paired_t_test_less(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size() && a.size() >= 2,
          "paired t test: needs two samples of equal length, at least 2");
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  const auto n = static_cast<double>(a.size());
  return lower_tail(mean(difference), std::sqrt(variance(difference, 1) / n), n - 1);
}

TestResult welch_t_test_less(std::span<const double> a, std::span<const double> b) {
  require(a.size() >= 2 && b.size() >= 2, "Welch's t test: needs at least two values per sample");
  const double variance_a = variance(a, 1) / static_cast<double>(a.size());
  const double variance_b = variance(b, 1) / static_cast<double>(b.size());
  const double total = variance_a + variance_b;
  const double degrees_of_freedom = total * total /
                                    (variance_a * variance_a / static_cast<double>(a.size() - 1) +
                                     variance_b * variance_b / static_cast<double>(b.size() - 1));
  return lower_tail(mean(a) - mean(b), std::sqrt(total), degrees_of_freedom);
}

double two_sided_normal_quantile(double level) {
  return boost::math::quantile(boost::math::normal(), 0.5 + level / 2);
}

double two_sided_t_quantile(double level, double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return two_sided_normal_quantile(level);
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.5 + level / 2);
}

double t_of_normal(double z, double degrees_of_freedom) {
  const double tail = upper_normal_tail(z);
  if (std::isinf(degrees_of_freedom) || tail < kSmallestTail) return z;
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees_of_freedom), tail));
}

double normal_of_t(double t, double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return t;
  const double tail =
      boost::math::cdf(boost::math::complement(boost::math::students_t(degrees_of_freedom), t));
  if (tail < kSmallestTail) return std::min(t, kLargestNormal);
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

double upper_normal_tail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double chi_squared_tail(double value, double degrees_of_freedom) {
  const boost::math::chi_squared distribution(degrees_of_freedom);
  return boost::math::cdf(boost::math::complement(distribution, value));
}

}  // namespace cone
