#include "linear/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr int kMaxNewtonSteps = 200;
/// Armijo constant.
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxHalvings = 40;
/// The gradient relative to that of the null model below which rounding dominates.
constexpr double kGradientFloor = 1e-4;
/// Relative changes of the objective below this are rounding.
constexpr double kValueRounding = 1e-12;
/// The most steps at rounding level in a row that do not halve the gradient.
constexpr int kMaxIdleSteps = 2;

}  // namespace

LogisticSolver::LogisticSolver(const Context& context, CentredMatrix x,
                               std::span<const std::uint8_t> labels, std::size_t num_labels)
    : context_(context),
      objective_(make_logistic_objective(context, std::move(x), labels, num_labels)) {
  start_at(objective_->null_point());
}

LogisticSolver::LogisticSolver(const Context& context, std::unique_ptr<LogisticObjective> objective,
                               std::span<const double> start)
    : context_(context), objective_(std::move(objective)) {
  start_at(start);
}

void LogisticSolver::start_at(std::span<const double> start) {
  move_to(start);
  null_loss_ = objective_->evaluate(1, point_);
  std::vector<double> slopes(point_.size());
  null_gradient_norm_ = objective_->gradient(1, point_, slopes);
}

LogisticFit LogisticSolver::fit(double c, double tolerance) {
  return describe(run_newton(c, tolerance, /*may_end_with_step=*/false));
}

LogisticFit LogisticSolver::fit_roughly(double c, double tolerance) {
  return describe(run_newton(c, tolerance, /*may_end_with_step=*/true));
}

std::vector<double> LogisticSolver::solve_roughly(double c, double tolerance) {
  return run_newton(c, tolerance, /*may_end_with_step=*/true).point;
}

LogisticSolver::Solution LogisticSolver::run_newton(double c, double tolerance,
                                                    bool may_end_with_step) {
  require(c >= 0 && std::isfinite(c), "logistic regression: C must be finite and not negative");
  const std::size_t size = point_.size();
  std::vector<double> gradient(size);
  std::vector<double> next_gradient(size);
  std::vector<double> step(size);
  std::vector<double> candidate(size);

  const double null_norm = c * null_gradient_norm_;
  // Where features and labels are orthogonal, the gradient is rounding only.
  const double rounding = objective_->gradient_rounding(c);
  double value = objective_->evaluate(c, point_);
  if (!(value <= c * null_loss_)) {
    point_.assign(objective_->null_point().begin(), objective_->null_point().end());
    value = objective_->evaluate(c, point_);
  }
  double norm = objective_->gradient(c, point_, gradient);

  bool converged = false;
  int num_steps = 0;
  int idle_steps = 0;
  while (true) {
    context_.poll();
    const std::span<const double> slopes(point_.data(), objective_->num_slopes());
    const double scale = std::max(std::sqrt(dot(slopes, slopes)), kGradientFloor * null_norm);
    converged = norm <= std::max(tolerance * std::min(scale, null_norm), rounding);
    if (converged || num_steps == kMaxNewtonSteps) break;
    // A forcing term proportional to the gradient saves most inner iterations early on and keeps
    // superlinear convergence at the end.
    const double left =
        objective_->find_newton_step(c, gradient, std::min(0.1, std::sqrt(norm / null_norm)), step);
    if (may_end_with_step && left <= tolerance) {
      // The next C starts from the point where value and gradient are known.
      for (std::size_t j = 0; j < size; ++j) candidate[j] = point_[j] + step[j];
      return {.point = std::move(candidate), .converged = true, .num_steps = num_steps + 1};
    }
    const double slope = dot(gradient, step);
    // Near the minimum the decrease is below the rounding of the objective. The slope along the
    // step is still accurate, and gives an equivalent condition for a convex function (Hager and
    // Zhang 2005, "A new conjugate gradient method with guaranteed descent and an efficient line
    // search"): it may change sign, but must not become as steep as it was.
    const bool drowns = -slope <= kValueRounding * value;
    double next_value = value;
    double length = 1;
    int halvings = 0;
    for (; halvings < kMaxHalvings; ++halvings, length /= 2) {
      context_.poll();
      for (std::size_t j = 0; j < size; ++j) candidate[j] = point_[j] + length * step[j];
      next_value = objective_->evaluate(c, candidate);
      if (drowns) {
        objective_->gradient(c, candidate, next_gradient);
        if (dot(next_gradient, step) <= (2 * kSufficientDecrease - 1) * slope) break;
      } else if (next_value <= value + kSufficientDecrease * length * slope) {
        objective_->gradient(c, candidate, next_gradient);
        break;
      }
    }
    ++num_steps;
    if (halvings == kMaxHalvings) {
      converged = drowns;
      break;
    }
    const double next_norm = std::sqrt(dot(next_gradient, next_gradient));
    idle_steps = drowns && next_norm > 0.5 * norm ? idle_steps + 1 : 0;
    point_ = candidate;
    value = next_value;
    norm = next_norm;
    std::swap(gradient, next_gradient);
    if (idle_steps == kMaxIdleSteps) {  // the minimum to rounding
      converged = true;
      break;
    }
  }
  return {.point = point_, .converged = converged, .num_steps = num_steps};
}

LogisticFit LogisticSolver::describe(const Solution& solution) const {
  const std::span<const double> point = solution.point;
  const CentredMatrix& x = objective_->matrix();
  LogisticFit fit;
  fit.converged = solution.converged;
  fit.iterations = solution.num_steps;
  fit.coefficients = Matrix<double>(objective_->num_logits(), x.num_source_cols());
  for (std::size_t a = 0; a < objective_->num_logits(); ++a) {
    const std::span<const double> slopes = point.subspan(a * x.cols(), x.cols());
    fit.intercepts.push_back(point[objective_->num_slopes() + a] + x.intercept_shift(slopes));
    const std::vector<double> all = x.expand(slopes);
    std::copy(all.begin(), all.end(), fit.coefficients.row(a).begin());
  }
  return fit;
}

}  // namespace cone
