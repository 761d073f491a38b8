#include "linear/linear.hpp"

#include "linear/linear_smoother.hpp"

namespace cone {

std::vector<double> LinearFit::predict(const FeatureMatrix& x,
                                       std::span<const std::uint32_t> rows) const {
  std::vector<double> of_dense;
  for (const std::uint32_t j : x.dense_columns()) of_dense.push_back(coefficients[j]);
  std::vector<double> out;
  out.reserve(rows.size());
  constexpr std::size_t kSums = 4;
  for (const std::uint32_t i : rows) {
    const double* const row = x.dense().row(i).data();
    double sums[kSums] = {};
    std::size_t d = 0;
    for (; d + kSums <= of_dense.size(); d += kSums) {
      for (std::size_t k = 0; k < kSums; ++k) sums[k] += row[d + k] * of_dense[d + k];
    }
    for (; d < of_dense.size(); ++d) sums[0] += row[d] * of_dense[d];
    const double dense = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    out.push_back(intercept + (dense + dot(x.sparse().row(i), coefficients)));
  }
  return out;
}

LinearFit fit_least_squares(const Context& context, const FeatureMatrix& x,
                            std::span<const double> y, std::size_t largest_direct) {
  return fit_ridge(context, x, y, 0.0, largest_direct);
}

LinearFit fit_ridge(const Context& context, const FeatureMatrix& x, std::span<const double> y,
                    double strength, std::size_t largest_direct) {
  return fit_ridge_path(context, x, y, {&strength, 1}, largest_direct).front();
}

std::vector<LinearFit> fit_ridge_path(const Context& context, const FeatureMatrix& x,
                                      std::span<const double> y, std::span<const double> strengths,
                                      std::size_t largest_direct) {
  LinearSmoother smoother(context, x, largest_direct);
  std::vector<LinearFit> fits;
  fits.reserve(strengths.size());
  for (const double strength : strengths) {
    smoother.set_strength(strength);
    fits.push_back(smoother.fit(y));
  }
  return fits;
}

}  // namespace cone
