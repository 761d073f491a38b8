#include "linear/linear_smoother.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "exec/large_matrix.hpp"
#include "exec/statistics.hpp"
#include "linear/conjugate_gradients.hpp"
#include "linear/gather_rows.hpp"

namespace cone {
namespace {

/// One solve and three refinements: at the largest condition number that PseudoInverse admits each
/// refinement gains about three digits; usually one suffices.
constexpr int kSolves = 4;
/// A correction this small, relative to the solution, ends the refinement.
constexpr double kNegligible = 1e-15;

constexpr double kIterativeTolerance = 1e-10;
constexpr std::size_t kMaxIterations = 20000;

double largest_magnitude(const Matrix<double>& values) {
  double largest = 0;
  for (const double value : values.values()) largest = std::max(largest, std::abs(value));
  return largest;
}

void add(const Matrix<double>& term, Matrix<double>& sum) {
  for (std::size_t k = 0; k < sum.values().size(); ++k) sum.values()[k] += term.values()[k];
}

/// Whether the Gram matrix is on the row side, for which every rank needs all rows.
bool needs_all_rows(const CentredMatrix& x, std::size_t largest_direct) {
  return x.comm().has_others() && x.num_all_rows() < static_cast<double>(x.cols()) &&
         x.num_all_rows() <= static_cast<double>(largest_direct);
}

FitRows allgather(const Context& context, const FeatureMatrix& own) {
  const Communicator& comm = context.comm();
  const Context alone = context.shared_by(Communicator::self());
  return {.x = CentredMatrix(alone, gather_rows(comm, own)),
          .num_own = own.rows(),
          .has_all = true,
          .first_own = comm.exclusive_scan(own.rows())};
}

FitRows choose_rows(const Context& context, const FeatureMatrix& x,
                    std::span<const std::uint32_t> rows, std::size_t largest_direct) {
  CentredMatrix centred(context, x, rows);
  if (needs_all_rows(centred, largest_direct)) return allgather(context, x.select_rows(rows));
  return {.x = std::move(centred), .num_own = rows.size()};
}

FitRows choose_rows(const Context& context, const FeatureMatrix& x, std::size_t largest_direct) {
  CentredMatrix centred(context, x);
  if (needs_all_rows(centred, largest_direct)) return allgather(context, x);
  return {.x = std::move(centred), .num_own = x.rows()};
}

}  // namespace

LinearSmoother::LinearSmoother(const Context& context, const FeatureMatrix& x,
                               std::size_t largest_direct)
    : LinearSmoother(context, choose_rows(context, x, largest_direct), largest_direct) {}

LinearSmoother::LinearSmoother(const Context& context, const FeatureMatrix& x,
                               std::span<const std::uint32_t> rows, std::size_t largest_direct)
    : LinearSmoother(context, choose_rows(context, x, rows, largest_direct), largest_direct) {}

LinearSmoother::LinearSmoother(const Context& context, FitRows rows, std::size_t largest_direct)
    : context_(context),
      comm_(context.comm()),
      x_(std::move(rows.x)),
      num_own_(rows.num_own),
      has_all_rows_(rows.has_all),
      first_own_(rows.first_own),
      direct_(std::min(x_.num_all_rows(), static_cast<double>(x_.cols())) <=
              static_cast<double>(largest_direct)),
      on_columns_(static_cast<double>(x_.cols()) <= x_.num_all_rows()) {
  require(x_.num_all_rows() > 0, "linear smoother: X has no rows");
  if (!direct_) return;
  if (on_columns_) {
    gram_ = x_.column_gram(context);
    return;
  }
  // The constant vector is in the null space of X_cX_c', and all right-hand sides are orthogonal to
  // it. A constant shift raises that eigenvalue to the mean of the others, so that rows in general
  // position give a nonsingular matrix.
  gram_ = x_.row_gram(context);
  for (std::size_t i = 0; i < gram_.rows(); ++i) constant_shift_ += gram_(i, i);
  constant_shift_ /= static_cast<double>(gram_.rows() * gram_.rows());
  for (std::size_t i = 0; i < gram_.rows(); ++i) {
    context.poll();
    for (std::size_t j = 0; j <= i; ++j) gram_(i, j) += constant_shift_;
  }
}

void LinearSmoother::set_strength(double strength) {
  require(strength >= 0, "linear smoother: the strength is negative");
  strength_ = strength;
  rank_ = std::min(x_.cols(), static_cast<std::size_t>(x_.num_all_rows()) - 1);
  inverse_.reset();
  if (std::isinf(strength)) {
    rank_ = 0;
  } else if (direct_) {
    Matrix<double> penalised = copy_matrix(context_, gram_);
    for (std::size_t i = 0; i < penalised.rows(); ++i) penalised(i, i) += strength;
    inverse_ = std::make_unique<PseudoInverse>(context_, std::move(penalised));
    rank_ = std::min(rank_, on_columns_ ? inverse_->rank() : inverse_->rank() - 1);
  }
}

LinearFit LinearSmoother::fit(std::span<const double> y) {
  require(y.size() == num_own_, "linear smoother: X and y differ in length");
  const std::vector<double> all = has_all_rows_ ? comm_.allgatherv(y) : std::vector<double>();
  const std::span<const double> of_rows = has_all_rows_ ? std::span<const double>(all) : y;
  const double centre = mean(of_rows, x_.comm());
  Matrix<double> centred(1, of_rows.size());
  for (std::size_t i = 0; i < of_rows.size(); ++i) centred(0, i) = of_rows[i] - centre;
  const Matrix<double> slopes = apply(/*transposed=*/false, centred);
  return {.intercept = centre + x_.intercept_shift(slopes.row(0)),
          .coefficients = x_.expand(slopes.row(0)),
          .rank = rank_,
          .converged = converged_};
}

Matrix<double> LinearSmoother::weights(const Matrix<double>& sums,
                                       std::span<const double> total_weight) {
  Matrix<double> deviations(sums.rows(), x_.cols());
  for (std::size_t i = 0; i < sums.rows(); ++i) {
    for (std::size_t j = 0; j < x_.cols(); ++j) {
      deviations(i, j) = sums(i, x_.kept()[j]) - total_weight[i] * x_.means()[j];
    }
  }
  Matrix<double> weights = apply(/*transposed=*/true, deviations);
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    const double share = total_weight[i] / x_.num_all_rows();
    for (double& weight : weights.row(i)) weight += share;
  }
  return has_all_rows_ ? take_own(weights) : weights;
}

Matrix<double> LinearSmoother::take_own(const Matrix<double>& of_rows) const {
  Matrix<double> own(of_rows.rows(), num_own_);
  for (std::size_t k = 0; k < own.rows(); ++k) {
    std::ranges::copy(of_rows.row(k).subspan(first_own_, num_own_), own.row(k).begin());
  }
  return own;
}

Matrix<double> LinearSmoother::apply(bool transposed, const Matrix<double>& right_hand_sides) {
  if (std::isinf(strength_)) {
    return {right_hand_sides.rows(), transposed ? x_.rows() : x_.cols()};
  }
  return direct_ ? apply_direct(transposed, right_hand_sides)
                 : apply_iterative(transposed, right_hand_sides);
}

/// With A = X_c or X_c', the solution u = (A'A + strength)⁺A'b where the factor is on A's columns,
/// else u = A'a with a = (AA' + strength)⁺b. Residuals are taken against X itself, as b − Au
/// rather than A'b − A'Au (corrected semi-normal equations; Björck 1987, "Stability analysis of the
/// method of seminormal equations for linear least squares problems"), which restores the digits.
Matrix<double> LinearSmoother::apply_direct(bool transposed, const Matrix<double>& b) const {
  const CentredOperator a{x_, transposed};
  const bool factor_on_columns = on_columns_ != transposed;
  Matrix<double> solution(b.rows(), factor_on_columns ? a.cols() : a.rows());
  std::vector<double> column_side(a.cols());
  std::vector<double> row_side(a.rows());
  for (int solve = 0; solve < kSolves; ++solve) {
    Matrix<double> correction(solution.rows(), solution.cols());
    for (std::size_t k = 0; k < b.rows(); ++k) {
      context_.poll();
      const std::span<const double> u = solution.row(k);
      const std::span<double> out = correction.row(k);
      if (factor_on_columns) {
        a.multiply(u, row_side);
        for (std::size_t i = 0; i < a.rows(); ++i) row_side[i] = b(k, i) - row_side[i];
        a.multiply_transposed(row_side, out);
      } else {
        a.multiply_transposed(u, column_side);
        a.multiply(column_side, row_side);
        for (std::size_t i = 0; i < a.rows(); ++i) out[i] = b(k, i) - row_side[i];
      }
      for (std::size_t i = 0; i < out.size(); ++i) out[i] -= strength_ * u[i];
    }
    inverse_->solve(correction);
    add(correction, solution);
    if (largest_magnitude(correction) <= kNegligible * largest_magnitude(solution)) break;
  }
  if (factor_on_columns) return solution;
  Matrix<double> mapped(b.rows(), a.cols());
  for (std::size_t k = 0; k < b.rows(); ++k) a.multiply_transposed(solution.row(k), mapped.row(k));
  return mapped;
}

Matrix<double> LinearSmoother::apply_iterative(bool transposed, const Matrix<double>& b) {
  const CentredOperator a{x_, transposed};
  Matrix<double> solution(b.rows(), a.cols());
  for (std::size_t k = 0; k < b.rows(); ++k) {
    converged_ &= minimise_squares(context_, a, b.row(k), strength_, kIterativeTolerance,
                                   kMaxIterations, solution.row(k));
  }
  return solution;
}

double LinearSmoother::degrees_of_freedom() const {
  if (!inverse_ || strength_ == 0 || inverse_->rank() < gram_.rows()) {
    return 1.0 + static_cast<double>(rank_);
  }
  // Each direction contributes g/(g + strength) = 1 − strength/(g + strength); on the row side the
  // constant vector, whose eigenvalue is the shift, does not contribute.
  double unexplained = inverse_->trace_of_inverse(context_);
  auto directions = static_cast<double>(gram_.rows());
  if (!on_columns_) {
    unexplained -= 1.0 / (strength_ + constant_shift_ * static_cast<double>(gram_.rows()));
    directions -= 1;
  }
  return 1.0 + directions - strength_ * unexplained;
}

}  // namespace cone
