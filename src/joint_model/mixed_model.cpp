#include "joint_model/mixed_model.hpp"

#include <algorithm>
#include <cmath>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "network_ridge/small_matrices.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostIterations = 1000;
constexpr std::size_t kRowsPerPiece = 4096;

/// a'b, columns of a × columns of b.
Matrix<double> multiply_columns(const Context& context, const Matrix<double>& a,
                                const Matrix<double>& b) {
  const auto parts = context.map_ranges<Matrix<double>>(
      a.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
        Matrix<double> part(a.cols(), b.cols());
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t r = 0; r < a.cols(); ++r) {
            for (std::size_t c = 0; c < b.cols(); ++c) part(r, c) += a(i, r) * b(i, c);
          }
        }
        return part;
      });
  Matrix<double> out(a.cols(), b.cols());
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < out.values().size(); ++k) out.values()[k] += part.values()[k];
  }
  context.comm().allreduce(out.values());
  return out;
}

/// The dot product of each column of a with that of b.
std::vector<double> dot_columns(const Context& context, const Matrix<double>& a,
                                const Matrix<double>& b) {
  const auto parts = context.map_ranges<std::vector<double>>(
      a.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<double> sums(a.cols(), 0.0);
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += a(i, c) * b(i, c);
        }
        return sums;
      });
  std::vector<double> out(a.cols(), 0.0);
  for (const std::vector<double>& part : parts) {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += part[c];
  }
  context.comm().allreduce(out);
  return out;
}

/// to += factor·from, factors by column.
void add_columns(std::span<const double> factor, const Matrix<double>& from, Matrix<double>& to) {
  for (std::size_t i = 0; i < to.rows(); ++i) {
    for (std::size_t c = 0; c < to.cols(); ++c) to(i, c) += factor[c] * from(i, c);
  }
}

/// The inverse of the preconditioner, and its projection on B'x = 0.
class Projection {
 public:
  Projection(const Context& context, const MixedModel& model)
      : context_(context), model_(model), small_(model.fixed.cols()) {
    scaled_ = divide(model.fixed);
    small_.matrix = multiply_columns(context, model.fixed, scaled_);
    require(small_.factorise(), "mixed model: the fixed effects are linearly dependent");
  }

  /// D⁻¹(r − B·v) with v such that its product with B' is 0. `r` becomes r − B·v, and v is added to
  /// `lambda`.
  Matrix<double> apply(Matrix<double>& r, Matrix<double>& lambda) const {
    const Matrix<double> sides = multiply_columns(context_, scaled_, r);
    const std::size_t num_fixed = model_.fixed.cols();
    Matrix<double> v(num_fixed, r.cols());
    for (std::size_t c = 0; c < r.cols(); ++c) {
      std::vector<double> column(num_fixed);
      for (std::size_t k = 0; k < num_fixed; ++k) column[k] = sides(k, c);
      small_.solve(column);
      for (std::size_t k = 0; k < num_fixed; ++k) {
        v(k, c) = column[k];
        lambda(k, c) += column[k];
      }
    }
    for (std::size_t i = 0; i < r.rows(); ++i) {
      for (std::size_t k = 0; k < num_fixed; ++k) {
        for (std::size_t c = 0; c < r.cols(); ++c) r(i, c) -= model_.fixed(i, k) * v(k, c);
      }
    }
    return divide(r);
  }

 private:
  Matrix<double> divide(const Matrix<double>& r) const {
    Matrix<double> out = r;
    for (std::size_t i = 0; i < out.rows(); ++i) {
      for (double& value : out.row(i)) value /= model_.diagonal[i];
    }
    return out;
  }

  const Context& context_;
  const MixedModel& model_;
  Matrix<double> scaled_;  ///< D⁻¹B
  SmallSystem small_;
};

}  // namespace

MixedSolution solve_mixed_model(const Context& context, const MixedModel& model,
                                const Matrix<double>& f, double tolerance,
                                const Matrix<double>* start) {
  const std::size_t width = f.cols();
  const Projection projection(context, model);
  MixedSolution out;
  out.lambda = Matrix<double>(model.fixed.cols(), width);
  Matrix<double> r = f;
  Matrix<double> z = projection.apply(r, out.lambda);
  std::vector<double> goal = dot_columns(context, r, z);
  for (double& value : goal) value = tolerance * tolerance * value + 1e-300;
  if (start != nullptr) {
    out.x = *start;
    const Matrix<double> product = model.multiply(out.x);
    add_columns(std::vector<double>(width, -1.0), product, r);
    z = projection.apply(r, out.lambda);
  } else {
    out.x = Matrix<double>(f.rows(), width);
  }
  Matrix<double> direction = z;
  std::vector<double> norm = dot_columns(context, r, z);
  const auto has_converged = [&] {
    return std::equal(norm.begin(), norm.end(), goal.begin(), std::less_equal<>());
  };
  while (!has_converged() && out.iterations < kMostIterations) {
    context.poll();
    const Matrix<double> product = model.multiply(direction);
    const std::vector<double> curvature = dot_columns(context, direction, product);
    std::vector<double> step(width, 0.0);
    std::vector<double> back(width, 0.0);
    for (std::size_t c = 0; c < width; ++c) {
      // A column that has converged stays as it is.
      if (norm[c] > goal[c] && curvature[c] > 0) step[c] = norm[c] / curvature[c];
      back[c] = -step[c];
    }
    add_columns(step, direction, out.x);
    add_columns(back, product, r);
    z = projection.apply(r, out.lambda);
    const std::vector<double> next = dot_columns(context, r, z);
    for (std::size_t c = 0; c < width; ++c) {
      const double keep = step[c] != 0 ? next[c] / norm[c] : 0.0;
      for (std::size_t i = 0; i < direction.rows(); ++i) {
        direction(i, c) = z(i, c) + keep * direction(i, c);
      }
      norm[c] = next[c];
    }
    ++out.iterations;
  }
  out.converged = has_converged();
  return out;
}

}  // namespace cone
