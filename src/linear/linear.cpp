#include "linear/linear.hpp"

#include "linear/linear_smoother.hpp"

namespace cone {

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
