#include "joint_model/mixed_model.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kRows = 40;

/// A covariance, its model with two fixed effects, and two right-hand sides.
struct Example {
  Matrix<double> covariance = Matrix<double>(kRows, kRows);
  Matrix<double> sides = Matrix<double>(kRows, 2);
  MixedModel model;

  explicit Example(const Context& context) {
    Rng rng(81, Stream::kTest, 0);
    Matrix<double> factor(kRows, 5);
    for (double& value : factor.values()) value = rng.normal();
    model.fixed = Matrix<double>(kRows, 2);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kRows; ++j) {
        for (std::size_t k = 0; k < factor.cols(); ++k) {
          covariance(i, j) += factor(i, k) * factor(j, k);
        }
      }
      covariance(i, i) += 0.5 + rng.uniform();
      model.diagonal.push_back(covariance(i, i));
      model.fixed(i, 0) = 1;
      model.fixed(i, 1) = rng.normal();
      for (std::size_t c = 0; c < 2; ++c) sides(i, c) = 3 + rng.normal();
    }
    model.multiply = [this, context](const Matrix<double>& x) {
      return ops::multiply(context, covariance.view(), x.view());
    };
  }

  /// f − V·x − B·λ.
  double largest_residual(const Context& context, const MixedSolution& solved) const {
    const Matrix<double> product = ops::multiply(context, covariance.view(), solved.x.view());
    double largest = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t c = 0; c < 2; ++c) {
        double left = sides(i, c) - product(i, c);
        for (std::size_t k = 0; k < 2; ++k) left -= model.fixed(i, k) * solved.lambda(k, c);
        largest = std::max(largest, std::abs(left));
      }
    }
    return largest;
  }
};

TEST(MixedModel, SolvesTheEquationsAndTheConstraint) {
  const Context context({.seed = 1, .threads = 1});
  const Example example(context);
  const MixedSolution solved = solve_mixed_model(context, example.model, example.sides, 1e-12);
  EXPECT_TRUE(solved.converged);
  EXPECT_LT(example.largest_residual(context, solved), 1e-9);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t k = 0; k < 2; ++k) {
      double total = 0;
      for (std::size_t i = 0; i < kRows; ++i) total += example.model.fixed(i, k) * solved.x(i, c);
      EXPECT_NEAR(total, 0, 1e-10);
    }
  }
}

TEST(MixedModel, StartsFromTheSolutionOfOtherEquations) {
  const Context context({.seed = 1, .threads = 1});
  const Example example(context);
  Matrix<double> other = example.sides;
  for (std::size_t i = 0; i < kRows; ++i) other(i, 0) += std::sin(static_cast<double>(i));
  const MixedSolution before = solve_mixed_model(context, example.model, other, 1e-12);
  const MixedSolution solved =
      solve_mixed_model(context, example.model, example.sides, 1e-12, &before.x);
  EXPECT_TRUE(solved.converged);
  EXPECT_LT(example.largest_residual(context, solved), 1e-9);
  const MixedSolution again =
      solve_mixed_model(context, example.model, example.sides, 1e-6, &solved.x);
  EXPECT_EQ(again.iterations, 0U);
}

}  // namespace
}  // namespace cone
