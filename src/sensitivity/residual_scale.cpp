#include <cmath>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {

Matrix<double> residual_scale(const LoggedTables& tables, std::span<const double> covariate) {
  const std::size_t n = tables.arm.size();
  require(covariate.size() == n, "sensitivity: one covariate per node");
  const double typical = mean(covariate);
  std::vector<double> relative(n, 0.0);
  for (std::size_t i = 0; i < n && typical > 0; ++i) relative[i] = covariate[i] / typical;
  Matrix<double> scale(n, tables.mu.cols());
  for (std::size_t a = 0; a < tables.mu.cols(); ++a) {
    std::vector<double> residual;
    std::vector<double> where;
    for (std::size_t i = 0; i < n; ++i) {
      if (tables.arm[i] != a) continue;
      residual.push_back(tables.outcome[i] - tables.mu(i, a));
      where.push_back(relative[i]);
    }
    const ResidualVariance fit =
        residual.empty() ? ResidualVariance{kNaN, kNaN} : fit_residual_variance(residual, where);
    // A variance of zero at degree zero is implausible, and residuals are divided by it: bounded
    // below.
    double typical_square = 0;
    for (const double r : residual) typical_square += r * r / static_cast<double>(residual.size());
    for (std::size_t i = 0; i < n; ++i) {
      scale(i, a) = std::sqrt(std::max(fit.at(relative[i]), 0.05 * typical_square));
    }
  }
  return scale;
}

}  // namespace cone
