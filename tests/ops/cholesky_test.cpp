#include "ops/cholesky.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "support/plain_product.hpp"

namespace cone::ops {
namespace {

/// B·B' of a random B with `rank` columns, plus `ridge` on the diagonal.
Matrix<double> gram(std::size_t n, std::size_t rank, double ridge, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix<double> b(n, rank);
  for (double& value : b.values()) value = normal(random);
  Matrix<double> out = testing::plain_gram(b);
  for (std::size_t i = 0; i < n; ++i) out(i, i) += ridge;
  return out;
}

/// L·L' with the first `rank` columns of the lower triangle of L.
Matrix<double> multiply_back(const Matrix<double>& l, std::size_t rank) {
  Matrix<double> lower(l.rows(), rank);
  for (std::size_t i = 0; i < l.rows(); ++i) {
    for (std::size_t k = 0; k < std::min(i + 1, rank); ++k) lower(i, k) = l(i, k);
  }
  return testing::plain_gram(lower);
}

// Sizes around the panels of 128 columns and the pieces of 256 rows.
TEST(Cholesky, MultipliesBackToTheMatrix) {
  for (const std::size_t n : {1, 2, 127, 128, 129, 400}) {
    const Matrix<double> matrix = gram(n, n, 1, 1);
    Matrix<double> factor = matrix;
    ASSERT_TRUE(factorise_cholesky(Context({.threads = 2}), factor.view()));
    const Matrix<double> product = multiply_back(factor, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        ASSERT_NEAR(product(i, j), matrix(i, j), 1e-9) << n << ' ' << i << ' ' << j;
      }
      for (std::size_t j = i + 1; j < n; ++j) ASSERT_EQ(factor(i, j), matrix(i, j));
    }
  }
}

TEST(Cholesky, RefusesAMatrixThatIsNotPositive) {
  Matrix<double> matrix = gram(300, 300, 1, 2);
  matrix(290, 290) = -1;
  EXPECT_FALSE(factorise_cholesky(Context({.threads = 2}), matrix.view()));
}

TEST(Cholesky, WithPivotsFindsTheRankAndMultipliesBack) {
  for (const auto& [n, rank] :
       {std::pair<std::size_t, std::size_t>{300, 300}, {300, 170}, {300, 128}, {130, 1}, {5, 0}}) {
    const Matrix<double> matrix = gram(n, rank, 0, 3);
    Matrix<double> factor = matrix;
    std::vector<std::size_t> pivot;
    ASSERT_EQ(factorise_pivoted(Context({.threads = 2}), factor.view(), 1e-8, pivot), rank);
    const Matrix<double> product = multiply_back(factor, rank);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        ASSERT_NEAR(product(i, j), matrix(pivot[i], pivot[j]), 1e-8);
      }
    }
  }
}

TEST(Cholesky, GivesTheDiagonalOfTheInverse) {
  const std::size_t n = 300;
  const Matrix<double> matrix = gram(n, n, 1, 4);
  Matrix<double> factor = matrix;
  ASSERT_TRUE(factorise_cholesky(Context({.threads = 2}), factor.view()));
  const std::vector<double> diagonal =
      inverse_column_squares(Context({.threads = 2}), std::as_const(factor).view());
  for (const std::size_t j : {0, 63, 64, 255, 256, 299}) {
    // The j-th element of the solution of M x = e_j, by substitution.
    std::vector<double> x(n, 0.0);
    x[j] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= factor(i, k) * x[k];
      x[i] /= factor(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor(k, i) * x[k];
      x[i] /= factor(i, i);
    }
    EXPECT_NEAR(diagonal[j], x[j], 1e-10 * x[j]) << j;
  }
}

TEST(Cholesky, IsTheSameAtAnyNumberOfThreads) {
  const Matrix<double> matrix = gram(700, 650, 0.1, 5);
  std::vector<Matrix<double>> factors;
  std::vector<std::vector<double>> diagonals;
  for (const int threads : {1, 3}) {
    const Context context({.threads = threads});
    Matrix<double> plain = matrix;
    ASSERT_TRUE(factorise_cholesky(context, plain.view()));
    diagonals.push_back(inverse_column_squares(context, std::as_const(plain).view()));
    Matrix<double> pivoted = matrix;
    std::vector<std::size_t> pivot;
    factorise_pivoted(context, pivoted.view(), 1e-10, pivot);
    factors.push_back(std::move(plain));
    factors.push_back(std::move(pivoted));
  }
  EXPECT_TRUE(std::ranges::equal(factors[0].values(), factors[2].values()));
  EXPECT_TRUE(std::ranges::equal(factors[1].values(), factors[3].values()));
  EXPECT_EQ(diagonals[0], diagonals[1]);
}

}  // namespace
}  // namespace cone::ops
