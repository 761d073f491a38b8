#include <cmath>

#include "base/numeric.hpp"
#include "network_ridge/restricted_likelihood.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"

namespace cone {

std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context,
                                                   const FeatureSample& sample,
                                                   std::span<const double> variances) {
  const std::size_t r = sample.num_features();
  const std::size_t num_groups = sample.num_groups();
  const double n = sample.num_nodes();
  const double noise = variances[num_groups] + kNoiseFloor;
  std::vector<double> d(r);  // standard deviations of the effects
  for (std::size_t g = 0; g < num_groups; ++g) {
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) {
      d[k] = std::sqrt(variances[g] / sample.scale[g]);
    }
  }
  auto factor = Matrix<double>::unfilled(r, r);  // of M
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = 0; j <= i; ++j) factor(i, j) = d[i] * sample.centred(i, j) * d[j];
    factor(i, i) += noise;
  }
  if (!ops::factorise_cholesky(context, factor.view())) return std::nullopt;
  double log_determinant = std::log(n) + (n - 1 - static_cast<double>(r)) * std::log(noise);
  for (std::size_t i = 0; i < r; ++i) log_determinant += 2 * std::log(factor(i, i));
  const std::vector<double> inverse_diagonal =
      ops::inverse_column_squares(context, factor.view());  // of M⁻¹
  const std::size_t outcome = r + 1;
  std::vector<double> side(r);  // W'y
  for (std::size_t k = 0; k < r; ++k) side[k] = d[k] * sample.centred(k, outcome);
  std::vector<double> t = side;  // W'Py
  solve_lower(factor, t);
  const double fitted = (sample.centred(outcome, outcome) - dot(side, t)) / noise;  // y'Py
  const double left_squares = (fitted - dot(t, t)) / noise;                         // |Py|²

  LikelihoodPoint out;
  out.value = 0.5 * (log_determinant + fitted);
  // The derivative of C by each log variance, times Py: W·e with e = t on the features of a group;
  // τPy for the noise, and M⁻¹t = W'P·Py.
  const std::size_t count = num_groups + 1;
  std::vector<std::vector<double>> pushed(count, std::vector<double>(r, 0.0));
  for (std::size_t g = 0; g < num_groups; ++g) {
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) pushed[g][k] = t[k];
  }
  pushed[num_groups] = t;
  Matrix<double> crossed(count, count);  // pushed'M⁻¹pushed
  context.for_each_range(count, 1, [&](std::size_t h, std::size_t) {
    std::vector<double> inverted = pushed[h];
    solve_lower(factor, inverted);
    for (std::size_t g = 0; g < count; ++g) crossed(g, h) = dot(pushed[g], inverted);
  });
  double trace_of_groups = 0;
  std::vector<double> quadratic(num_groups);  // y'PK_gPy·σ²_g
  for (std::size_t g = 0; g < num_groups; ++g) {
    double trace = 0;  // tr(PK_g)·σ²_g
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) {
      quadratic[g] += t[k] * t[k];
      trace += 1 - noise * inverse_diagonal[k];
    }
    trace_of_groups += trace;
    out.gradient.push_back(0.5 * (trace - quadratic[g]));
  }
  // tr(PC) = n − 1, of which the noise has the rest. kNoiseFloor is not part of its variance.
  const double share = variances[num_groups] / noise;
  out.gradient.push_back(0.5 * share * (n - 1 - trace_of_groups - noise * left_squares));
  // ½·y'PK_gPK_hPy: [W·pushed, τPy]'P[W·pushed, τPy]
  out.information = Matrix<double>(count, count);
  const auto is_noise = [&](std::size_t g) { return g == num_groups; };
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t h = 0; h < count; ++h) {
      double value = noise * crossed(g, h) * (is_noise(g) != is_noise(h) ? 1 : -1);
      if (g == h) value += is_noise(g) ? noise * left_squares : quadratic[g];
      out.information(g, h) =
          0.5 * value * (is_noise(g) ? share : 1.0) * (is_noise(h) ? share : 1.0);
    }
  }
  return out;
}

}  // namespace cone
