#pragma once

#include <span>

namespace cone {

struct TestResult {
  double t = 0;
  double degrees_of_freedom = 0;
  double p = 0;
};

/// One-tailed t tests of mean(a) < mean(b). NaN where a variance cannot be formed.
/// Paired: a_i and b_i come from the same simulation; needs equal lengths of at least 2.
TestResult paired_t_test_less(std::span<const double> a, std::span<const double> b);
/// Welch: independent samples of unequal variance; each of at least 2.
TestResult welch_t_test_less(std::span<const double> a, std::span<const double> b);

/// The normal quantile z with P(|Z| ≤ z) = level, e.g. 1.96 for 0.95.
double two_sided_normal_quantile(double level);
/// The same of Student's t distribution; with infinite degrees of freedom the normal one.
double two_sided_t_quantile(double level, double degrees_of_freedom);
/// The t with the same tail probability as the normal z ≥ 0, and the other way round: critical
/// values of the maximum of normal statistics, for statistics that have their own degrees of
/// freedom.
double t_of_normal(double z, double degrees_of_freedom);
double normal_of_t(double t, double degrees_of_freedom);
/// P(Z > z) of a standard normal Z.
double upper_normal_tail(double z);
/// P(X > value) of a chi-squared X. `value` is finite and not negative.
double chi_squared_tail(double value, double degrees_of_freedom);

}  // namespace cone
