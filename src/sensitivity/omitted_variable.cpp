#include <algorithm>
#include <cmath>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// A second moment as the mean of terms, one per node.
struct Moment {
  explicit Moment(std::size_t n) : terms(n, 0.0) {}

  std::vector<double> terms;
  double value = 0;
};

/// ν² from the more precise terms, unless their mean is negative.
Moment positive_moment(Moment better, const Moment& fallback) {
  better.value = mean(better.terms);
  if (better.value > 0) return better;
  Moment out = fallback;
  out.value = mean(out.terms);
  return out;
}

/// √(σ² ν²); adds the contribution of every node to `influence`.
double add_root(const Moment& sigma2, const Moment& nu2, std::vector<double>& influence) {
  const double root = std::sqrt(sigma2.value * nu2.value);
  if (!(root > 0)) return root;
  for (std::size_t i = 0; i < influence.size(); ++i) {
    influence[i] +=
        (sigma2.value * (nu2.terms[i] - nu2.value) + nu2.value * (sigma2.terms[i] - sigma2.value)) /
        (2 * root);
  }
  return root;
}

}  // namespace

ConfoundingScale confounding_scale(const LoggedTables& tables, const Contrast& contrast) {
  const std::size_t n = tables.arm.size();
  const std::size_t num_arms = tables.mu.cols();
  ConfoundingScale out;
  out.total_influence.assign(n, 0.0);
  out.by_arm_influence.assign(n, 0.0);
  Moment sigma2(n);
  Moment nu2(n);
  Moment plain_nu2(n);
  for (std::size_t a = 0; a < num_arms; ++a) {
    Moment arm_sigma2(n);
    Moment arm_nu2(n);
    Moment arm_plain_nu2(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double weight = contrast.weight(i, a);
      const double e = tables.e(i, a);
      if (tables.arm[i] == a) {
        const double r = tables.outcome[i] - tables.mu(i, a);
        arm_sigma2.terms[i] = r * r;
        arm_plain_nu2.terms[i] = weight * weight / (e * e);
      }
      arm_nu2.terms[i] = weight == 0 ? 0 : 2 * weight * weight / e - arm_plain_nu2.terms[i];
      sigma2.terms[i] += arm_sigma2.terms[i];
      nu2.terms[i] += arm_nu2.terms[i];
      plain_nu2.terms[i] += arm_plain_nu2.terms[i];
    }
    arm_sigma2.value = mean(arm_sigma2.terms);
    arm_nu2 = positive_moment(std::move(arm_nu2), arm_plain_nu2);
    out.sigma2_of_arm.push_back(arm_sigma2.value);
    out.nu2_of_arm.push_back(arm_nu2.value);
    out.by_arm += add_root(arm_sigma2, arm_nu2, out.by_arm_influence);
  }
  sigma2.value = mean(sigma2.terms);
  nu2 = positive_moment(std::move(nu2), plain_nu2);
  out.sigma2 = sigma2.value;
  out.nu2 = nu2.value;
  out.total = add_root(sigma2, nu2, out.total_influence);
  return out;
}

double bias_bound(double scale, double cf_y, double cf_d, double rho) {
  return std::abs(rho) * std::sqrt(cf_y * cf_d / (1 - cf_d)) * scale;
}

double robustness_value(double gap, double scale) {
  if (gap == 0) return 0;
  const double f = std::abs(gap) / scale;
  // (−f² + √(f⁴ + 4f²))/2 without cancellation.
  return 2 / (1 + std::sqrt(1 + 4 / (f * f)));
}

double bound_error(const WithInfluence& estimate, const WithInfluence& scale, double multiple) {
  std::vector<double> phi(estimate.influence.begin(), estimate.influence.end());
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] += multiple * scale.influence[i];
  const double error = cone::standard_error(phi);
  return std::sqrt(error * error + estimate.further_variance +
                   multiple * multiple * scale.further_variance);
}

double confident_robustness_value(const WithInfluence& estimate, const WithInfluence& scale,
                                  double threshold, double z) {
  const double gap = estimate.value - threshold;
  const double sign = gap >= 0 ? 1 : -1;
  const auto is_beyond = [&](double multiple) {
    return std::abs(gap) - multiple * scale.value >
           z * bound_error(estimate, scale, -sign * multiple);
  };
  if (!is_beyond(0)) return 0;
  // The remaining distance is concave in the multiple and positive at 0, so it crosses zero once;
  // at the end of the interval it is zero before the standard error is subtracted.
  double before = 0;
  double after = std::abs(gap) / scale.value;
  for (int step = 0; step < 200 && after - before > 1e-15 * after; ++step) {
    const double middle = (before + after) / 2;
    (is_beyond(middle) ? before : after) = middle;
  }
  return robustness_value((before + after) / 2 * scale.value, scale.value);
}

Matrix<double> trace_contour(double estimate, double scale, double threshold,
                             std::span<const double> cf_y, std::span<const double> cf_d) {
  Matrix<double> out(cf_y.size(), cf_d.size());
  const double sign = estimate >= threshold ? 1 : -1;
  for (std::size_t i = 0; i < cf_y.size(); ++i) {
    for (std::size_t j = 0; j < cf_d.size(); ++j) {
      out(i, j) = estimate - sign * bias_bound(scale, cf_y[i], cf_d[j]);
    }
  }
  return out;
}

}  // namespace cone
