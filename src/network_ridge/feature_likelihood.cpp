#include "network_ridge/feature_likelihood.hpp"

#include <cmath>

#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

std::vector<double> effect_deviations(const FeatureSample& sample,
                                      std::span<const double> variances) {
  std::vector<double> out(sample.num_features());
  for (std::size_t g = 0; g < sample.num_groups(); ++g) {
    const double deviation = std::sqrt(variances[g] / sample.scale[g]);
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) out[k] = deviation;
  }
  return out;
}

}  // namespace

std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context,
                                                   const FeatureSample& sample,
                                                   std::span<const double> variances) {
  const std::size_t r = sample.num_features();
  const std::size_t q = sample.num_fixed;
  const std::size_t num_groups = sample.num_groups();
  const double noise = variances[num_groups] + kNoiseFloor;
  const std::vector<double> d = effect_deviations(sample, variances);
  Matrix<double> inverse;  // M⁻¹
  double log_determinant =
      (static_cast<double>(sample.num_nodes) - static_cast<double>(r)) * std::log(noise);
  {
    auto factor = Matrix<double>::unfilled(r, r);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor(i, j) = d[i] * sample.products(i, j) * d[j];
      factor(i, i) += noise;
    }
    if (!ops::factorise_cholesky(context, factor.view())) return std::nullopt;
    for (std::size_t i = 0; i < r; ++i) log_determinant += 2 * std::log(factor(i, i));
    inverse = ops::invert_from_cholesky(context, factor.view());
  }
  // W'[B, y] and M⁻¹ times it, which is W'C⁻¹[B, y].
  Matrix<double> sides(r, q + 1);
  for (std::size_t k = 0; k < r; ++k) {
    for (std::size_t c = 0; c <= q; ++c) sides(k, c) = d[k] * sample.products(k, r + c);
  }
  const Matrix<double> solved = ops::multiply(context, inverse.view(), sides.view());
  const Matrix<double> explained = ops::multiply_transposed(context, sides.view(), solved.view());
  const auto product = [&](std::size_t a, std::size_t b) {  // [B, y]'C⁻¹[B, y]
    return (sample.products(r + a, r + b) - explained(a, b)) / noise;
  };
  SmallSystem fixed_system(q);
  std::vector<double> coefficients(q);
  for (std::size_t a = 0; a < q; ++a) {
    coefficients[a] = product(a, q);
    for (std::size_t b = 0; b < q; ++b) fixed_system.matrix(a, b) = product(a, b);
  }
  if (!fixed_system.factorise()) return std::nullopt;
  double fitted = product(q, q);  // y'Py
  const std::vector<double> with_outcome = coefficients;
  fixed_system.solve(coefficients);
  for (std::size_t a = 0; a < q; ++a) fitted -= with_outcome[a] * coefficients[a];
  std::vector<double> t(r);  // W'Py
  double squares = 0;
  for (std::size_t k = 0; k < r; ++k) {
    t[k] = solved(k, q);
    for (std::size_t c = 0; c < q; ++c) t[k] -= solved(k, c) * coefficients[c];
    squares += t[k] * t[k];
  }
  const double left_squares = (fitted - squares) / noise;  // |Py|²

  LikelihoodPoint out;
  out.value = 0.5 * (log_determinant + fixed_system.log_determinant() + fitted);
  // What a variance adds to C, times Py: W·e with e = t on the features of the group; τPy of the
  // noise, whose column is t itself.
  const std::size_t count = num_groups + 1;
  Matrix<double> pushed(r, count);
  for (std::size_t g = 0; g < num_groups; ++g) {
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) pushed(k, g) = t[k];
  }
  for (std::size_t k = 0; k < r; ++k) pushed(k, num_groups) = t[k];
  const Matrix<double> inverted = ops::multiply(context, inverse.view(), pushed.view());
  const Matrix<double> crossed =
      ops::multiply_transposed(context, pushed.view(), inverted.view());  // pushed'M⁻¹pushed
  const Matrix<double> through =
      ops::multiply_transposed(context, solved.view(), pushed.view());  // [B, y]'C⁻¹W·pushed
  double trace_of_groups = 0;
  std::vector<double> quadratic(num_groups);  // y'PK_gPy·σ²_g
  for (std::size_t g = 0; g < num_groups; ++g) {
    double trace = 0;  // tr(PK_g)·σ²_g
    for (std::size_t k = sample.first[g]; k < sample.first[g + 1]; ++k) {
      quadratic[g] += t[k] * t[k];
      trace += 1 - noise * inverse(k, k);
      std::vector<double> row(solved.row(k).begin(), solved.row(k).end() - 1);
      fixed_system.solve(row);
      for (std::size_t c = 0; c < q; ++c) trace -= row[c] * solved(k, c);
    }
    trace_of_groups += trace;
    out.gradient.push_back(0.5 * (trace - quadratic[g]));
  }
  // tr(PC) = n − q: the noise has what the groups leave of it. The floor is no variance.
  const double noise_trace =
      static_cast<double>(sample.num_nodes) - static_cast<double>(q) - trace_of_groups;
  const double share = variances[num_groups] / noise;
  out.gradient.push_back(0.5 * share * (noise_trace - noise * left_squares));
  // ½·y'PK_gPK_hPy: [W·pushed, τPy]'P[W·pushed, τPy], where B'C⁻¹τPy = −(W'C⁻¹B)'t.
  out.information = Matrix<double>(count, count);
  const auto is_noise = [&](std::size_t g) { return g == num_groups; };
  for (std::size_t h = 0; h < count; ++h) {
    std::vector<double> column(q);
    for (std::size_t c = 0; c < q; ++c) column[c] = (is_noise(h) ? -1 : 1) * through(c, h);
    fixed_system.solve(column);
    for (std::size_t g = 0; g < count; ++g) {
      double value = noise * crossed(g, h) * (is_noise(g) != is_noise(h) ? 1 : -1);
      if (g == h) value += is_noise(g) ? noise * left_squares : quadratic[g];
      for (std::size_t c = 0; c < q; ++c) {
        value -= (is_noise(g) ? -1 : 1) * through(c, g) * column[c];
      }
      out.information(g, h) =
          0.5 * value * (is_noise(g) ? share : 1.0) * (is_noise(h) ? share : 1.0);
    }
  }
  return out;
}

}  // namespace cone
