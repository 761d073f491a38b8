#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace cone {

/// A missing number: a node that is not scored, an estimate without a standard error.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Compensated summation (Neumaier 1974, Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen): the order of the terms moves the result by a few ulps at most, so permuting
/// nodes changes no visible digit of an estimate.
class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    compensation_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + compensation_; }

 private:
  double sum_ = 0;
  double compensation_ = 0;
};

inline double sum(std::span<const double> values) {
  CompensatedSum total;
  for (const double v : values) total.add(v);
  return total.value();
}

/// NaN when there are no values.
inline double mean(std::span<const double> values) {
  return sum(values) / static_cast<double>(values.size());
}

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The sum of the probabilities in a policy's row: 1, or the node's survey weight where rows are
/// weighted. A sum that differs from 1 by rounding only is 1.
inline double total_probability(std::span<const double> row) {
  constexpr double kRounding = 1e-12;
  double total = 0;
  for (const double p : row) total += p;
  return std::abs(total - 1) < kRounding ? 1 : total;
}

/// Sum of squared deviations over (n − ddof).
inline double variance(std::span<const double> values, int ddof) {
  const double centre = mean(values);
  CompensatedSum total;
  for (const double v : values) total.add((v - centre) * (v - centre));
  return total.value() / (static_cast<double>(values.size()) - ddof);
}

/// The standard error of the mean, sd (n − 1) / √n. NaN for fewer than two values.
inline double standard_error(std::span<const double> values) {
  if (values.size() < 2) return kNaN;
  return std::sqrt(variance(values, 1) / static_cast<double>(values.size()));
}

/// log(1 + exp(x)) without overflow.
inline double softplus(double x) { return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// 1 / (1 + exp(−x)) without overflow.
inline double sigmoid(double x) {
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

}  // namespace cone
