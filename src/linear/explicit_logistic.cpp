#include "linear/explicit_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "linear/dense.hpp"
#include "linear/softmax_loss.hpp"
#include "ops/cholesky.hpp"
#include "ops/columns.hpp"
#include "ops/logistic.hpp"

namespace cone {
namespace {

/// Inner iterations of conjugate gradients that a Newton step takes, about.
constexpr double kUsualInnerIterations = 10;
/// Rows that go through all products while they are in the cache.
constexpr std::size_t kBlockOfRows = ops::kMostLogisticRows;
/// A step must shrink the gradient to this share for the Hessian to be used again.
constexpr double kStaleShrinkage = 0.1;
/// A change δ of the logits changes the curvature of a row by δ|1 − 2p| at most, and that of all
/// rows together by about δ/4: what lies on both sides of the minimum cancels.
constexpr double kChangeOfCurvature = 0.25;

void add_to(std::span<const double> values, std::span<double> total) {
  for (std::size_t k = 0; k < total.size(); ++k) total[k] += values[k];
}

/// Probabilities of a label less 1 where it is the row's own.
void take_residuals(std::span<const double> probability, std::span<const std::uint8_t> own,
                    std::uint8_t label, double* out) {
  const double* const from = probability.data();
  const std::uint8_t* const labels = own.data();
  // Numbers of one size at a time, for the sake of vector registers.
  std::int32_t is_own[kBlockOfRows];
  const std::size_t size = own.size();
  for (std::size_t i = 0; i < size; ++i) is_own[i] = labels[i] == label ? 1 : 0;
  for (std::size_t i = 0; i < size; ++i) out[i] = from[i] - static_cast<double>(is_own[i]);
}

/// Several sums side by side: one after the other, additions would wait for each other.
double sum_side_by_side(std::span<const double> values) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= values.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

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
  return x.num_dense() > 0 && is_hessian_cheaper(static_cast<double>(x.rows()), x.cols(),
                                                 static_cast<double>(x.num_stored()), num_labels);
}

bool prefers_explicit_hessian(const FeatureMatrix& x, std::size_t num_labels) {
  return !x.dense_columns().empty() &&
         is_hessian_cheaper(static_cast<double>(x.rows()), x.cols(),
                            static_cast<double>(x.num_stored()), num_labels);
}

ExplicitLogistic::ExplicitLogistic(const Context& context, std::shared_ptr<const LabelledRows> rows,
                                   std::size_t left_out)
    : LogisticObjective(context, std::move(rows), left_out), left_out_(left_out) {}

template <class Body>
double ExplicitLogistic::pass_over(std::size_t fold, std::span<const double> point,
                                   const Body& body) const {
  std::vector<double> buffer;
  Matrix<double> probability(num_logits(), kBlockOfRows);
  SoftmaxLoss loss(num_logits());
  for (std::size_t begin = fold_begin(fold); begin < fold_end(fold); begin += kBlockOfRows) {
    context().poll();
    const std::size_t count = std::min(kBlockOfRows, fold_end(fold) - begin);
    const MatrixView<const double> x = matrix().read_rows(begin, count, buffer);
    const MatrixView<double> p(probability.data(), num_logits(), count, kBlockOfRows);
    for (std::size_t a = 0; a < num_logits(); ++a) {
      ops::multiply_columns(x, slopes(point, a), point[num_slopes() + a], p.row(a));
    }
    const std::span<const std::uint8_t> own = labels().subspan(begin, count);
    loss.add(own, p);
    body(own, x, p);
  }
  return loss.value();
}

ExplicitLogistic::Slope ExplicitLogistic::measure_slope(std::size_t fold,
                                                        std::span<const double> point) const {
  Slope slope{.gradient = std::vector<double>(size(), 0.0)};
  std::vector<double> residual(kBlockOfRows);
  slope.loss = pass_over(fold, point, [&](auto own, auto x, auto p) {
    for (std::size_t a = 0; a < num_logits(); ++a) {
      take_residuals(p.row(a), own, static_cast<std::uint8_t>(a + 1), residual.data());
      const std::span<const double> residuals = std::span(residual).first(own.size());
      ops::add_columns_transposed(x, residuals, slopes(std::span(slope.gradient), a));
      slope.gradient[num_slopes() + a] += sum_side_by_side(residuals);
    }
  });
  return slope;
}

double ExplicitLogistic::fold_loss(std::size_t fold, std::span<const double> point) const {
  return pass_over(fold, point, [](auto, auto, auto) {});
}

double ExplicitLogistic::evaluate(double c, std::span<const double> point) {
  if (!std::equal(point.begin(), point.end(), point_.begin(), point_.end())) {
    fold_slopes_.resize(num_folds());
    for (std::size_t f = 0; f < num_folds(); ++f) {
      if (f != left_out_) fold_slopes_[f] = measure_slope(f, point);
    }
    add_up_slopes(fold_slopes_);
    point_.assign(point.begin(), point.end());
  }
  return penalty(point) + c * slope_.loss;
}

double ExplicitLogistic::gradient(double c, std::span<const double> point, std::span<double> out) {
  for (std::size_t j = 0; j < size(); ++j) out[j] = c * slope_.gradient[j];
  add_penalty_gradient(point, out);
  return std::sqrt(dot(out, out));
}

void ExplicitLogistic::add_up_slopes(std::span<const Slope> of_folds) {
  slope_ = {.gradient = std::vector<double>(size(), 0.0)};
  for (std::size_t f = 0; f < of_folds.size(); ++f) {
    if (f == left_out_) continue;
    slope_.loss += of_folds[f].loss;
    add_to(of_folds[f].gradient, slope_.gradient);
  }
}

ExplicitLogistic::Curvature ExplicitLogistic::measure_curvature(std::size_t fold) const {
  const std::size_t width = matrix().cols();
  const std::size_t num_pairs = pair_of(num_logits(), 0);
  Curvature out{.products = std::vector<Matrix<double>>(num_pairs, Matrix<double>(width, width)),
                .weighted_sums = Matrix<double>(num_pairs, width + 1)};
  std::vector<double> weight(kBlockOfRows);
  Matrix<double> scratch = Matrix<double>::unfilled(width, kBlockOfRows);
  pass_over(fold, point_, [&](auto own, auto x, auto p) {
    const std::span<double> weights = std::span(weight).first(own.size());
    for (std::size_t a = 0; a < num_logits(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        // |∂ residual of a / ∂ logit of b|; it is negative where a and b differ.
        const double* const one = p.row(a).data();
        const double* const other = p.row(b).data();
        for (std::size_t i = 0; i < own.size(); ++i) {
          weights[i] = one[i] * (a == b ? 1 - one[i] : other[i]);
        }
        const std::span<double> sums = out.weighted_sums.row(pair_of(a, b));
        sums[width] += sum_side_by_side(weights);
        ops::add_columns_transposed(x, weights, sums.first(width));
        add_weighted_products(x, weights, scratch.view(), out.products[pair_of(a, b)]);
      }
    }
  });
  return out;
}

void ExplicitLogistic::add_up_curvatures(std::span<const Curvature> of_folds) {
  bool is_first = true;
  for (std::size_t f = 0; f < of_folds.size(); ++f) {
    if (f == left_out_) continue;
    if (std::exchange(is_first, false)) {
      curvature_ = of_folds[f];
      continue;
    }
    for (std::size_t k = 0; k < curvature_.products.size(); ++k) {
      add_to(of_folds[f].products[k].values(), curvature_.products[k].values());
    }
    add_to(of_folds[f].weighted_sums.values(), curvature_.weighted_sums.values());
  }
}

void ExplicitLogistic::take_curvature() {
  fold_curvatures_.resize(num_folds());
  for (std::size_t f = 0; f < num_folds(); ++f) {
    if (f != left_out_) fold_curvatures_[f] = measure_curvature(f);
  }
  add_up_curvatures(fold_curvatures_);
  curvature_point_ = point_;
}

double ExplicitLogistic::far_away() const {
  // Far from where it was taken a Hessian gains fewer digits per step: at the upper end about as
  // few as kStaleShrinkage allows.
  const auto width = static_cast<double>(matrix().cols());
  const double num_passes = width * static_cast<double>(num_logits() + 1) / 20;  // that it takes
  return std::clamp(0.025 * num_passes, 0.05, 0.4);
}

void ExplicitLogistic::adopt_if_better(double c, const ExplicitLogistic& whole) {
  double loss = 0;
  for (std::size_t f = 0; f < num_folds(); ++f) {
    if (f != left_out_) loss += whole.fold_slopes_[f].loss;
  }
  if (!point_.empty() && penalty(point_) + c * slope_.loss <= penalty(whole.point_) + c * loss) {
    return;
  }
  point_ = whole.point_;
  add_up_slopes(whole.fold_slopes_);
  add_up_curvatures(whole.fold_curvatures_);
  curvature_point_ = whole.curvature_point_;
}

Matrix<double> ExplicitLogistic::assemble_hessian(double c) const {
  const std::size_t width = matrix().cols();
  const double off_diagonal = -2 / static_cast<double>(num_logits() + 1);  // of the penalty
  Matrix<double> hessian(size(), size());
  for (std::size_t a = 0; a < num_logits(); ++a) {
    for (std::size_t b = 0; b < num_logits(); ++b) {
      const std::size_t pair = pair_of(std::max(a, b), std::min(a, b));
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
    weight += curvature_.weighted_sums(pair_of(a, a), matrix().cols());
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
  if (!(moved <= far_away())) {
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
  // Saturated probabilities leave nothing of the intercepts' curvature.
  for (std::size_t j = 0; j < size(); ++j) {
    step[j] /= std::max(hessian(j, j), std::numeric_limits<double>::min());
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace cone
