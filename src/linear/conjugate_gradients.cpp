#include "linear/conjugate_gradients.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/numeric.hpp"

namespace cone {
namespace {

double squared_norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

double CentredOperator::squared_norm_of_rows(std::span<const double> b) const {
  return transposed ? squared_norm(b) : matrix.comm().allreduce(squared_norm(b));
}

double CentredOperator::squared_norm_of_columns(std::span<const double> u) const {
  return transposed ? matrix.comm().allreduce(squared_norm(u)) : squared_norm(u);
}

bool minimise_squares(const Context& context, const CentredOperator& a, std::span<const double> b,
                      double damping, double tolerance, std::size_t max_iterations,
                      std::span<double> u) {
  std::vector<double> residual(a.rows());  // b − Au
  std::vector<double> gradient(a.cols());  // A'(b − Au) − damping·u
  std::vector<double> image(a.rows());     // A·direction
  a.multiply_transposed(b, gradient);
  // Rounding leaves a gradient of up to epsilon·||A||·||b||, which no iteration removes.
  const double rounding = std::numeric_limits<double>::epsilon() *
                          std::numeric_limits<double>::epsilon() * sum(a.matrix.sums_of_squares()) *
                          a.squared_norm_of_rows(b);
  const double target =
      std::max(tolerance * tolerance * a.squared_norm_of_columns(gradient), rounding);

  context.poll();
  a.multiply(u, residual);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = b[i] - residual[i];
  const auto update_gradient = [&] {
    context.poll();
    a.multiply_transposed(residual, gradient);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= damping * u[j];
  };
  update_gradient();
  std::vector<double> direction = gradient;
  double size = a.squared_norm_of_columns(gradient);
  for (std::size_t iteration = 0; size > target; ++iteration) {
    if (iteration == max_iterations) return false;
    context.poll();
    a.multiply(direction, image);
    const double curvature =
        a.squared_norm_of_rows(image) + damping * a.squared_norm_of_columns(direction);
    if (!(curvature > 0)) break;  // the direction is in the null space: converged
    const double step = size / curvature;
    for (std::size_t j = 0; j < direction.size(); ++j) u[j] += step * direction[j];
    for (std::size_t i = 0; i < image.size(); ++i) residual[i] -= step * image[i];
    update_gradient();
    const double next_size = a.squared_norm_of_columns(gradient);
    const double momentum = next_size / size;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      direction[j] = gradient[j] + momentum * direction[j];
    }
    size = next_size;
  }
  return true;
}

}  // namespace cone
