#include "linear/explicit_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "linear/dense.hpp"
#include "ops/cholesky.hpp"

namespace cone {
namespace {

/// Typical number of inner conjugate-gradient iterations of a Newton step.
constexpr double kUsualInnerIterations = 10;
/// The Hessian is reused only if a step has shrunk the gradient to this share.
constexpr double kStaleShrinkage = 0.1;
/// A change δ of the logits changes the curvature of a row by δ|1 − 2p| at most, and that of all
/// rows together by about δ/4, as changes of opposite sign cancel.
constexpr double kChangeOfCurvature = 0.25;

bool is_hessian_cheaper(double rows, std::size_t cols, double num_stored, std::size_t num_labels) {
  const auto width = static_cast<double>(cols + 1);
  const auto logits = static_cast<double>(num_labels - 1);
  const double unknowns = logits * width;
  const double pairs = logits * (logits + 1) / 2;
  const double by_hessian =
      (rows * pairs * width * width / 2 + unknowns * unknowns * unknowns / 3) / kDenseSpeedup;
  return by_hessian <= kUsualInnerIterations * 2 * logits * num_stored;
}

}  // namespace

bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels) {
  return x.num_dense() > 0 &&
         is_hessian_cheaper(x.num_all_rows(), x.cols(), x.num_stored(), num_labels);
}

bool prefers_explicit_hessian(const Context& context, const FeatureMatrix& x,
                              std::size_t num_labels) {
  return !x.dense_columns().empty() &&
         is_hessian_cheaper(context.comm().count(x.rows()), x.cols(),
                            context.comm().count(x.num_stored()), num_labels);
}

ExplicitLogistic::ExplicitLogistic(const Context& context,
                                   const std::shared_ptr<const LabelledRows>& rows,
                                   std::size_t held_out)
    : LogisticObjective(context, rows, held_out), passes_(context, rows), held_out_(held_out) {}

double ExplicitLogistic::evaluate(double c, std::span<const double> point) {
  if (!std::equal(point.begin(), point.end(), point_.begin(), point_.end())) {
    fold_slopes_.resize(num_folds());
    for (std::size_t f = 0; f < num_folds(); ++f) {
      if (f != held_out_) fold_slopes_[f] = passes_.measure_slope(f, point);
    }
    sum_slopes(fold_slopes_);
    point_.assign(point.begin(), point.end());
  }
  return penalty(point) + c * slope_.loss;
}

double ExplicitLogistic::gradient(double c, std::span<const double> point, std::span<double> out) {
  for (std::size_t j = 0; j < size(); ++j) out[j] = c * slope_.gradient[j];
  add_penalty_gradient(point, out);
  return std::sqrt(dot(out, out));
}

void ExplicitLogistic::sum_slopes(std::span<const LossSlope> of_folds) {
  slope_ = {.gradient = std::vector<double>(size(), 0.0)};
  for (std::size_t f = 0; f < of_folds.size(); ++f) {
    if (f != held_out_) slope_.add(of_folds[f]);
  }
}

void ExplicitLogistic::sum_curvatures(std::span<const LossCurvature> of_folds) {
  bool is_first = true;
  for (std::size_t f = 0; f < of_folds.size(); ++f) {
    if (f == held_out_) continue;
    if (std::exchange(is_first, false)) {
      curvature_ = of_folds[f];
    } else {
      curvature_.add(of_folds[f]);
    }
  }
}

void ExplicitLogistic::take_curvature() {
  fold_curvatures_.resize(num_folds());
  for (std::size_t f = 0; f < num_folds(); ++f) {
    if (f != held_out_) fold_curvatures_[f] = passes_.measure_curvature(f, point_);
  }
  sum_curvatures(fold_curvatures_);
  curvature_point_ = point_;
}

double ExplicitLogistic::largest_change() const {
  // Steps gain fewer digits the farther the point is from that of the Hessian: at the upper end
  // about as few as kStaleShrinkage allows.
  const auto width = static_cast<double>(matrix().cols());
  const double num_passes =
      width * static_cast<double>(num_logits() + 1) / 20;  // the cost of a Hessian
  return std::clamp(0.025 * num_passes, 0.05, 0.4);
}

void ExplicitLogistic::adopt_if_better(double c, const ExplicitLogistic& whole) {
  double loss = 0;
  for (std::size_t f = 0; f < num_folds(); ++f) {
    if (f != held_out_) loss += whole.fold_slopes_[f].loss;
  }
  if (!point_.empty() && penalty(point_) + c * slope_.loss <= penalty(whole.point_) + c * loss) {
    return;
  }
  point_ = whole.point_;
  sum_slopes(whole.fold_slopes_);
  sum_curvatures(whole.fold_curvatures_);
  curvature_point_ = whole.curvature_point_;
}

Matrix<double> ExplicitLogistic::assemble_hessian(double c) const {
  const std::size_t width = matrix().cols();
  const double off_diagonal = -2 / static_cast<double>(num_logits() + 1);  // of the penalty
  Matrix<double> hessian(size(), size());
  for (std::size_t a = 0; a < num_logits(); ++a) {
    for (std::size_t b = 0; b < num_logits(); ++b) {
      const std::size_t pair = pair_of_labels(std::max(a, b), std::min(a, b));
      const double sign = a == b ? c : -c;
      const Matrix<double>& product = curvature_.products[pair];
      const std::span<const double> sums = curvature_.weighted_sums.row(pair);
      for (std::size_t j = 0; j < width; ++j) {
        const std::span<double> row = hessian.row(a * width + j);
        for (std::size_t k = 0; k < width; ++k) {
          row[b * width + k] = sign * product(std::max(j, k), std::min(j, k));
        }
        row[b * width + j] += a == b ? 2 + off_diagonal : off_diagonal;
      }
      const std::span<double> row = hessian.row(num_slopes() + a);
      for (std::size_t k = 0; k < width; ++k) row[b * width + k] = sign * sums[k];
      row[num_slopes() + b] = sign * sums[width];
    }
  }
  return hessian;
}

double ExplicitLogistic::change_of_logits(const Matrix<double>& hessian, double c,
                                          std::span<const double> direction) const {
  double form = -2 * penalty(direction);
  for (std::size_t j = 0; j < size(); ++j) {
    const double off_diagonal = dot(hessian.row(j).first(j), direction.first(j));
    form += direction[j] * (2 * off_diagonal + hessian(j, j) * direction[j]);
  }
  double weight = 0;
  for (std::size_t a = 0; a < num_logits(); ++a) {
    weight += curvature_.weighted_sums(pair_of_labels(a, a), matrix().cols());
  }
  return std::sqrt(std::max(form, 0.0) / (c * weight));
}

double ExplicitLogistic::find_newton_step(double c, std::span<const double> gradient,
                                          double /*tolerance*/, std::span<double> step) {
  const double norm = std::sqrt(dot(gradient, gradient));
  const bool is_stale = c == last_c_ && norm > kStaleShrinkage * last_norm_;
  last_c_ = c;
  last_norm_ = norm;
  Matrix<double> hessian;
  double moved = std::numeric_limits<double>::infinity();
  if (!curvature_point_.empty() && !is_stale) {
    hessian = assemble_hessian(c);
    std::vector<double> way(size());
    for (std::size_t j = 0; j < size(); ++j) way[j] = point_[j] - curvature_point_[j];
    moved = change_of_logits(hessian, c, way);
  }
  if (!(moved <= largest_change())) {
    take_curvature();
    hessian = assemble_hessian(c);
    moved = 0;
  }
  for (std::size_t j = 0; j < size(); ++j) step[j] = -gradient[j];
  Matrix<double> factor = hessian;
  const OneBlasThread guard;
  if (ops::factorise_cholesky(context(), factor.view())) {
    // A row-major lower triangle is LAPACK's upper one.
    const int n = static_cast<int>(size());
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, factor.data(), n, step.data(), n);
    std::vector<double> slopes_only(point_);
    std::fill(slopes_only.begin() + static_cast<std::ptrdiff_t>(num_slopes()), slopes_only.end(),
              0.0);
    const double length = change_of_logits(hessian, c, step);
    return kChangeOfCurvature * (moved + length) * length /
           change_of_logits(hessian, c, slopes_only);
  }
  // With saturated probabilities the curvature of the intercepts vanishes.
  for (std::size_t j = 0; j < size(); ++j) {
    step[j] /= std::max(hessian(j, j), std::numeric_limits<double>::min());
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace cone
