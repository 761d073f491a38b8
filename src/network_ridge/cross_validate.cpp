#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kFolds = 5;
/// Signal-to-noise ratios: the variance of all groups together over that of the noise.
constexpr double kRatios[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};

std::vector<double> share_variance(const ArmSample& sample, double ratio) {
  const std::size_t num_groups = sample.kernels.groups.size();
  const double noise = 1 / (1 + ratio);
  std::vector<double> variances(sample.num_variances(), 0.0);
  for (std::size_t g = 0; g < num_groups; ++g) {
    variances[g] = (1 - noise) / static_cast<double>(num_groups);
  }
  variances[num_groups] = noise;
  return variances;
}

/// P = C⁻¹ − C⁻¹B(B'C⁻¹B)⁻¹B'C⁻¹.
std::optional<Matrix<double>> make_projection(const Context& context, const ArmSample& sample,
                                              std::span<const double> variances) {
  const std::size_t num_groups = sample.kernels.groups.size();
  const std::size_t q = sample.fixed.cols();
  Matrix<double> factor = sum_kernels(context, sample.kernels, variances.first(num_groups),
                                      noise_of(sample, variances));
  if (!ops::factorise_cholesky(context, factor.view())) return std::nullopt;
  Matrix<double> projection = ops::invert_from_cholesky(context, factor.view());
  const Matrix<double> solved = ops::multiply(context, projection.view(), sample.fixed.view());
  SmallSystem small(q);
  small.matrix = ops::multiply_transposed(context, sample.fixed.view(), solved.view());
  if (!small.factorise()) return std::nullopt;
  for (std::size_t i = 0; i < projection.rows(); ++i) {
    std::vector<double> row(solved.row(i).begin(), solved.row(i).end());
    small.solve(row);
    for (std::size_t j = 0; j < projection.cols(); ++j) {
      for (std::size_t c = 0; c < q; ++c) projection(i, j) -= row[c] * solved(j, c);
    }
  }
  return projection;
}

/// Σ of the squared held-out residuals P_II⁻¹(Py)_I over all folds I.
double sum_held_out(const Context& context, const ArmSample& sample,
                    const Matrix<double>& projection, std::span<const std::size_t> order) {
  double total = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::size_t> rows;
    for (std::size_t k = fold; k < order.size(); k += kFolds) rows.push_back(order[k]);
    SmallSystem block(rows.size());
    std::vector<double> residual(rows.size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        block.matrix(i, j) = projection(rows[i], rows[j]);
      }
      for (std::size_t j = 0; j < sample.outcome.size(); ++j) {
        residual[i] += projection(rows[i], j) * sample.outcome[j];
      }
    }
    if (!ops::factorise_cholesky(context, block.matrix.view())) {
      return std::numeric_limits<double>::infinity();
    }
    block.solve(residual);
    for (const double r : residual) total += r * r;
  }
  return total;
}

}  // namespace

LearntVariances cross_validate_variances(const Context& context, const ArmSample& sample,
                                         std::span<const std::size_t> order) {
  LearntVariances out;
  out.num_nodes = sample.kernels.size();
  out.likelihood = std::numeric_limits<double>::quiet_NaN();
  double least = std::numeric_limits<double>::infinity();
  for (const double ratio : kRatios) {
    context.report("choosing a penalty", out.steps, std::size(kRatios));
    std::vector<double> variances = share_variance(sample, ratio);
    const auto projection = make_projection(context, sample, variances);
    ++out.steps;
    if (!projection) continue;
    const double error = sum_held_out(context, sample, *projection, order);
    if (!(error < least)) continue;
    least = error;
    out.variances = std::move(variances);
    out.converged = true;
  }
  if (out.variances.empty()) out.variances = share_variance(sample, kRatios[0]);
  return out;
}

}  // namespace cone
