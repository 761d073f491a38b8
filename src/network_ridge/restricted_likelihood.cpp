#include "network_ridge/restricted_likelihood.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include "base/numeric.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kTracedRowsPerTask = 64;

/// Σ_ij s_i·s_j·M_ij·products_ij with and without the factors s, from the lower triangle.
struct TracePair {
  double plain = 0;
  double averaged = 0;
};

TracePair trace_products(const Context& context, const Matrix<double>& inverse,
                         const Matrix<double>& products, std::span<const double> s) {
  const auto parts = context.map_ranges<TracePair>(
      inverse.rows(), kTracedRowsPerTask, [&](std::size_t begin, std::size_t end) {
        TracePair part;
        for (std::size_t i = begin; i < end; ++i) {
          const double* a = inverse.row(i).data();
          const double* b = products.row(i).data();
          double plain = 0;
          double averaged = 0;
          for (std::size_t j = 0; j < i; ++j) {
            plain += a[j] * b[j];
            averaged += a[j] * b[j] * s[j];
          }
          part.plain += 2 * plain + a[i] * b[i];
          part.averaged += s[i] * (2 * averaged + a[i] * b[i] * s[i]);
        }
        return part;
      });
  TracePair total;
  for (const TracePair& part : parts) {
    total.plain += part.plain;
    total.averaged += part.averaged;
  }
  return total;
}

/// Σ M_ij over the pairs of one community, from the lower triangle.
double trace_communities(const Context& context, const Matrix<double>& inverse,
                         std::span<const std::uint32_t> labels) {
  const auto parts = context.map_ranges<double>(inverse.rows(), kTracedRowsPerTask,
                                                [&](std::size_t begin, std::size_t end) {
                                                  double part = 0;
                                                  for (std::size_t i = begin; i < end; ++i) {
                                                    if (labels[i] == kNoCommunity) continue;
                                                    const double* a = inverse.row(i).data();
                                                    double below = 0;
                                                    for (std::size_t j = 0; j < i; ++j)
                                                      below += labels[j] == labels[i] ? a[j] : 0.0;
                                                    part += 2 * below + a[i];
                                                  }
                                                  return part;
                                                });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// The sum of the rows of V over the community of each row.
Matrix<double> sum_over_communities(std::span<const std::uint32_t> labels,
                                    const Matrix<double>& v) {
  std::map<std::uint32_t, std::vector<double>> sums;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoCommunity) continue;
    std::vector<double>& sum = sums.try_emplace(labels[i], v.cols(), 0.0).first->second;
    for (std::size_t c = 0; c < v.cols(); ++c) sum[c] += v(i, c);
  }
  Matrix<double> out(v.rows(), v.cols());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != kNoCommunity) std::ranges::copy(sums[labels[i]], out.row(i).begin());
  }
  return out;
}

/// K_g·V of one group.
Matrix<double> multiply_group(const Context& context, const ArmKernels& kernels,
                              const GroupKernel& group, Matrix<double> v) {
  const auto scale = [&](Matrix<double>& m) {
    if (!group.averages) return;
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (double& value : m.row(i)) value *= kernels.inverse_degree[i];
    }
  };
  scale(v);
  Matrix<double> out = group.products != nullptr
                           ? ops::multiply(context, group.products->view(), v.view())
                           : sum_over_communities(group.labels, v);
  scale(out);
  for (double& value : out.values()) value *= group.factor;
  return out;
}

Matrix<double> multiply_diagonal(std::span<const double> diagonal, const Matrix<double>& v) {
  Matrix<double> out = v;
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (double& value : out.row(i)) value *= diagonal[i];
  }
  return out;
}

}  // namespace

std::vector<double> noise_of(const ArmSample& sample, std::span<const double> variances) {
  if (!sample.known_noise.empty()) return sample.known_noise;
  const std::size_t num_groups = sample.kernels.groups.size();
  std::vector<double> noise(sample.kernels.size(), variances[num_groups] + kNoiseFloor);
  if (sample.noise_grows) {
    for (std::size_t i = 0; i < noise.size(); ++i) {
      noise[i] += variances[num_groups + 1] * sample.kernels.relative_degree[i];
    }
  }
  return noise;
}

std::optional<LikelihoodPoint> evaluate_likelihood(const Context& context, const ArmSample& sample,
                                                   std::span<const double> variances) {
  const ArmKernels& kernels = sample.kernels;
  const std::size_t n = kernels.size();
  const std::size_t num_fixed = sample.fixed.cols();
  const std::size_t num_groups = kernels.groups.size();
  Matrix<double> inverse;
  double log_determinant = 0;
  {
    Matrix<double> factor =
        sum_kernels(context, kernels, variances.first(num_groups), noise_of(sample, variances));
    if (!ops::factorise_cholesky(context, factor.view())) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) log_determinant += 2 * std::log(factor(i, i));
    inverse = ops::invert_from_cholesky(context, factor.view());
  }
  // C⁻¹[y, B] → S = B'C⁻¹B and Py.
  Matrix<double> sides(n, 1 + num_fixed);
  for (std::size_t i = 0; i < n; ++i) {
    sides(i, 0) = sample.outcome[i];
    for (std::size_t c = 0; c < num_fixed; ++c) sides(i, 1 + c) = sample.fixed(i, c);
  }
  const Matrix<double> solved = ops::multiply(context, inverse.view(), sides.view());
  const Matrix<double> products =
      ops::multiply_transposed(context, sides.view(), solved.view());  // [y, B]'C⁻¹[y, B]
  SmallSystem fixed_system(num_fixed);
  for (std::size_t r = 0; r < num_fixed; ++r) {
    for (std::size_t c = 0; c < num_fixed; ++c) fixed_system.matrix(r, c) = products(1 + r, 1 + c);
  }
  if (!fixed_system.factorise()) return std::nullopt;
  std::vector<double> coefficients(num_fixed);
  for (std::size_t c = 0; c < num_fixed; ++c) coefficients[c] = products(1 + c, 0);
  const std::vector<double> with_outcome = coefficients;
  fixed_system.solve(coefficients);
  std::vector<double> projected(n);  // Py
  for (std::size_t i = 0; i < n; ++i) {
    projected[i] = solved(i, 0);
    for (std::size_t c = 0; c < num_fixed; ++c) projected[i] -= solved(i, 1 + c) * coefficients[c];
  }

  LikelihoodPoint out;
  out.value = 0.5 * (log_determinant + fixed_system.log_determinant() + products(0, 0) -
                     dot(with_outcome, coefficients));
  // For every variance: K[Py, C⁻¹B] and tr(PK) = tr(C⁻¹K) − tr(S⁻¹B'C⁻¹KC⁻¹B).
  Matrix<double> directions(n, 1 + num_fixed);
  for (std::size_t i = 0; i < n; ++i) {
    directions(i, 0) = projected[i];
    for (std::size_t c = 0; c < num_fixed; ++c) directions(i, 1 + c) = solved(i, 1 + c);
  }
  const std::size_t count = sample.num_variances();
  Matrix<double> kernel_py(n, count);                 // K_g·Py
  std::map<const Matrix<double>*, TracePair> traced;  // shared by groups of sums and of means
  for (std::size_t g = 0; g < count; ++g) {
    Matrix<double> moved;
    double trace = 0;
    if (g < num_groups) {
      const GroupKernel& group = kernels.groups[g];
      if (group.products == nullptr) {
        trace = group.factor * trace_communities(context, inverse, group.labels);
      } else {
        const auto [entry, is_new] = traced.try_emplace(group.products.get());
        if (is_new) {
          entry->second = trace_products(context, inverse, *group.products, kernels.inverse_degree);
        }
        trace = group.factor * (group.averages ? entry->second.averaged : entry->second.plain);
      }
      moved = multiply_group(context, kernels, group, directions);
    } else {
      const bool grows = g > num_groups;
      const std::vector<double> diagonal =
          grows ? kernels.relative_degree : std::vector<double>(n, 1.0);
      for (std::size_t i = 0; i < n; ++i) trace += diagonal[i] * inverse(i, i);
      moved = multiply_diagonal(diagonal, directions);
    }
    // tr(S⁻¹·B'C⁻¹KC⁻¹B)
    for (std::size_t c = 0; c < num_fixed; ++c) {
      std::vector<double> column(num_fixed);
      for (std::size_t r = 0; r < num_fixed; ++r) {
        for (std::size_t i = 0; i < n; ++i) column[r] += solved(i, 1 + r) * moved(i, 1 + c);
      }
      fixed_system.solve(column);
      trace -= column[c];
    }
    double quadratic = 0;
    for (std::size_t i = 0; i < n; ++i) {
      kernel_py(i, g) = moved(i, 0);
      quadratic += projected[i] * moved(i, 0);
    }
    out.gradient.push_back(0.5 * variances[g] * (trace - quadratic));
  }
  // ½·y'PK_gPK_hPy
  const Matrix<double> inverted = ops::multiply(context, inverse.view(), kernel_py.view());
  const Matrix<double> through =
      ops::multiply_transposed(context, solved.view(), kernel_py.view());  // [y, B]'C⁻¹·kernel_py
  out.information = ops::multiply_transposed(context, kernel_py.view(), inverted.view());
  for (std::size_t h = 0; h < count; ++h) {
    std::vector<double> column(num_fixed);
    for (std::size_t c = 0; c < num_fixed; ++c) column[c] = through(1 + c, h);
    fixed_system.solve(column);
    for (std::size_t g = 0; g < count; ++g) {
      for (std::size_t c = 0; c < num_fixed; ++c) {
        out.information(g, h) -= through(1 + c, g) * column[c];
      }
      out.information(g, h) *= 0.5 * variances[g] * variances[h];
    }
  }
  return out;
}

}  // namespace cone
