#include "policy_tree/mean_errors.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "inference/dependence.hpp"

namespace cone {
namespace {

Matrix<double> centre(std::span<const std::vector<double>> columns) {
  Matrix<double> out(columns.front().size(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double middle = mean(columns[c]);
    for (std::size_t i = 0; i < out.rows(); ++i) out(i, c) = columns[c][i] - middle;
  }
  return out;
}

}  // namespace

std::vector<MeanError> measure_mean_errors(const Context& context, const Dataset& data,
                                           std::span<const std::vector<double>> columns,
                                           std::span<const double> degrees, Dependence wanted,
                                           double level) {
  const DependenceKernels kernels = find_dependence(context, data);
  const std::vector<DependentCovariance> covariances =
      kernels.covariances(context, centre(columns).view());
  const bool has_wanted = std::any_of(covariances.begin(), covariances.end(), [&](const auto& by) {
    return by.dependence == wanted && by.is_usable();
  });
  std::vector<MeanError> out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    // Independent nodes: n - 1 in the variance, as everywhere.
    MeanError best;
    const double plain = standard_error(columns[c]);
    if (!has_wanted || wanted == Dependence::kIndependent) {
      best = {plain, two_sided_t_quantile(level, degrees[c]) * plain};
    }
    for (const DependentCovariance& by : covariances) {
      if (!by.is_usable() || by.dependence == Dependence::kIndependent) continue;
      if (has_wanted && by.dependence != wanted) continue;
      const double error = std::sqrt(std::max(0.0, by.covariance(c, c)));
      const double half_width =
          two_sided_t_quantile(level, std::min(degrees[c], by.degrees_of_freedom)) * error;
      if (half_width > best.half_width) best = {error, half_width};
    }
    out.push_back(best);
  }
  return out;
}

}  // namespace cone
