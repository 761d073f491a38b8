#include "nuisance/residual_variance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Weighted least squares of v on (1, d); a negative coefficient becomes zero and the other is
/// fitted alone.
ResidualVariance fit_variance_line(std::span<const double> v, std::span<const double> d,
                                   std::span<const double> weight, const Communicator& comm) {
  std::array<double, 5> sums{};
  auto& [w, wd, wdd, wv, wdv] = sums;
  for (std::size_t i = 0; i < v.size(); ++i) {
    w += weight[i];
    wd += weight[i] * d[i];
    wdd += weight[i] * d[i] * d[i];
    wv += weight[i] * v[i];
    wdv += weight[i] * d[i] * v[i];
  }
  comm.allreduce(sums);
  const double determinant = w * wdd - wd * wd;
  if (determinant > 1e-10 * w * wdd) {
    const ResidualVariance both{(wdd * wv - wd * wdv) / determinant,
                                (w * wdv - wd * wv) / determinant};
    if (both.constant >= 0 && both.growth >= 0) return both;
    if (both.constant < 0) return {0, wdv / wdd};
  }
  return {wv / w, 0};
}

}  // namespace

ResidualVariance fit_residual_variance(std::span<const double> residual,
                                       std::span<const double> relative_degree,
                                       const Communicator& comm) {
  double largest = 0;
  for (const double r : residual) largest = std::max(largest, std::abs(r));
  largest = comm.allreduce_max(largest);
  if (!(largest > 0)) return {};
  // Relative to the largest: fourth powers of large outcomes would overflow.
  std::vector<double> squares;
  for (const double r : residual) squares.push_back(r / largest * (r / largest));
  std::array<double, 2> size = {sum(squares), static_cast<double>(squares.size())};
  comm.allreduce(size);
  const double typical = size[0] / size[1];
  ResidualVariance fit =
      fit_variance_line(squares, relative_degree, std::vector<double>(squares.size(), 1), comm);
  std::vector<double> weight;
  for (const double d : relative_degree) {
    const double expected = std::max(fit.at(d), 0.05 * typical);
    weight.push_back(typical * typical / (expected * expected));
  }
  fit = fit_variance_line(squares, relative_degree, weight, comm);
  return {fit.constant * largest * largest, fit.growth * largest * largest};
}

std::vector<double> relative_degrees(const Dataset& data, const LoggedSample& sample) {
  const auto num_nodes = static_cast<double>(data.num_nodes_of_all());
  const double mean_degree =
      num_nodes == 0 ? 0 : 2 * static_cast<double>(data.num_edges()) / num_nodes;
  std::vector<double> out;
  out.reserve(sample.size());
  for (const NodeIndex node : sample.nodes) {
    out.push_back(mean_degree > 0 ? static_cast<double>(data.degree(node)) / mean_degree : 0.0);
  }
  return out;
}

Matrix<double> estimate_noise(std::span<const double> relative_degree, const LoggedSample& sample,
                              MatrixView<const double> mu) {
  Matrix<double> noise(sample.size(), sample.num_arms(), kNaN);
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    std::vector<double> residual;
    std::vector<double> degree;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (sample.arm[k] != a) continue;
      residual.push_back(sample.outcome[k] - mu(k, a));
      degree.push_back(relative_degree[k]);
    }
    if (sample.comm->count(residual.size()) == 0) continue;
    const ResidualVariance fit = fit_residual_variance(residual, degree, *sample.comm);
    for (std::size_t k = 0; k < sample.size(); ++k) noise(k, a) = fit.at(relative_degree[k]);
  }
  return noise;
}

std::vector<double> raise_arm_noise(const LoggedSample& sample, std::span<const double> residual) {
  const Communicator& comm = *sample.comm;
  const std::size_t num_arms = sample.num_arms();
  std::vector<double> factor(num_arms, 1.0);
  double largest = 0;
  for (const double r : residual) largest = std::max(largest, std::abs(r));
  largest = comm.allreduce_max(largest);
  if (!(largest > 0)) return factor;
  std::vector<double> sums(2 * num_arms + 1, 0.0);  // count and squares per arm, fourth powers
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double square = residual[i] / largest * (residual[i] / largest);
    const std::size_t arm = sample.arm[i];
    sums[2 * arm] += 1;
    sums[2 * arm + 1] += square;
    sums.back() += square * square;
  }
  comm.allreduce(sums);
  double count = 0;
  double squares = 0;
  for (std::size_t a = 0; a < num_arms; ++a) {
    count += sums[2 * a];
    squares += sums[2 * a + 1];
  }
  const double all = squares / count;
  const double spread = sums.back() / count - all * all;
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (!(sums[2 * a + 1] > 0)) continue;
    const double own = sums[2 * a + 1] / sums[2 * a];
    const double lack = all - own;
    if (!(lack > 0)) continue;
    const double weight = std::min(1.0, spread / sums[2 * a] / (lack * lack));
    factor[a] = std::sqrt(1 + weight * lack / own);
  }
  return factor;
}

}  // namespace cone
