#include "linear/linear.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <lapacke.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "exec/one_blas_thread.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

using Dense = std::vector<std::vector<double>>;

/// Slopes of the minimum-norm least squares fit with an intercept, from the singular values of the
/// explicitly centred matrix: no Gram matrix is involved.
std::vector<double> reference_slopes(const Dense& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  const std::size_t p = x.front().size();
  std::vector<double> a(n * p);  // column-major
  for (std::size_t j = 0; j < p; ++j) {
    CompensatedSum total;
    for (std::size_t i = 0; i < n; ++i) total.add(x[i][j]);
    for (std::size_t i = 0; i < n; ++i) {
      a[j * n + i] = x[i][j] - total.value() / static_cast<double>(n);
    }
  }
  std::vector<double> b(std::max(n, p), 0.0);
  for (std::size_t i = 0; i < n; ++i) b[i] = y[i] - mean(y);
  std::vector<double> singular_values(std::min(n, p));
  lapack_int rank = 0;
  const OneBlasThread guard;  // ThreadSanitizer does not see through OpenMP
  LAPACKE_dgelsd(LAPACK_COL_MAJOR, static_cast<int>(n), static_cast<int>(p), 1, a.data(),
                 static_cast<int>(n), b.data(), static_cast<int>(b.size()), singular_values.data(),
                 1e-11, &rank);
  b.resize(p);
  return b;
}

Dense random_matrix(std::size_t rows, std::size_t cols, double density, std::uint64_t seed) {
  Dense x(rows, std::vector<double>(cols, 0.0));
  for (std::size_t i = 0; i < rows; ++i) {
    Rng rng(seed, Stream::kTest, i);
    for (double& value : x[i]) {
      if (rng.bernoulli(density)) value = rng.normal();
    }
  }
  return x;
}

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  Rng rng(seed, Stream::kTest, 1U << 20);
  std::vector<double> y(size);
  for (double& value : y) value = 3 + rng.normal();
  return y;
}

void expect_minimum_norm_fit(const Dense& x, double tolerance = 1e-9) {
  const std::vector<double> y = random_vector(x.size(), 5);
  const LinearFit fit = fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x), y);
  const std::vector<double> expected = reference_slopes(x, y);
  ASSERT_EQ(fit.coefficients.size(), expected.size());
  double scale = 1;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(fit.coefficients[j], expected[j], tolerance * scale) << "column " << j;
  }
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    residual += y[i] - fit.predict(FeatureMatrix(testing::sparse_from_rows(x)).row(i));
  }
  EXPECT_NEAR(residual, 0, 1e-7 * static_cast<double>(x.size()));
}

TEST(LeastSquares, AgreesWithThePseudoInverseOnTallMatrices) {
  expect_minimum_norm_fit(random_matrix(60, 8, 0.4, 1));
  expect_minimum_norm_fit(random_matrix(60, 8, 1.0, 2));
  expect_minimum_norm_fit(random_matrix(400, 90, 0.1, 3));
}

TEST(LeastSquares, AgreesWithThePseudoInverseOnWideMatrices) {
  expect_minimum_norm_fit(random_matrix(20, 50, 0.3, 1));
  expect_minimum_norm_fit(random_matrix(20, 20, 1.0, 2));
  expect_minimum_norm_fit(random_matrix(21, 20, 1.0, 2));
}

TEST(LeastSquares, SharesTheSlopeOfDuplicateAndCollinearColumns) {
  Dense x = random_matrix(80, 10, 0.5, 4);
  for (std::vector<double>& row : x) {
    row[3] = row[7];
    row[5] = row[1] - 2 * row[2];
  }
  expect_minimum_norm_fit(x);
  const LinearFit fit = fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x),
                                          random_vector(x.size(), 5));
  EXPECT_EQ(fit.rank, 8U);
  EXPECT_NEAR(fit.coefficients[3], fit.coefficients[7], 1e-12);
}

TEST(LeastSquares, AgreesWithThePseudoInverseWhereWideRowsRepeat) {
  Dense x = random_matrix(20, 50, 0.3, 6);
  x[4] = x[9];
  x[5] = x[9];
  expect_minimum_norm_fit(x);
  EXPECT_EQ(
      fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x), random_vector(20, 5))
          .rank,
      17U);
}

TEST(LeastSquares, TakesEveryLevelOfACategory) {
  // The levels sum to one. One level is rare, so that columns are nearly full or nearly empty.
  Dense x(200, std::vector<double>(4, 0.0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i][i == 17 ? 2 : i % 2] = 1;
    x[i][3] = i == 17 ? 0 : 1;
  }
  expect_minimum_norm_fit(x);
}

TEST(LeastSquares, GivesConstantAndEmptyColumnsNoSlope) {
  Dense x = random_matrix(40, 6, 0.6, 7);
  for (std::vector<double>& row : x) {
    row[0] = 0;
    row[4] = 0.1;
  }
  expect_minimum_norm_fit(x);
  const LinearFit fit = fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x),
                                          random_vector(40, 5));
  EXPECT_EQ(fit.coefficients[0], 0);
  EXPECT_EQ(fit.coefficients[4], 0);
  EXPECT_EQ(fit.rank, 4U);
}

TEST(LeastSquares, KeepsItsDigitsWhereMeansDwarfSpreadsAndUnitsDiffer) {
  Dense x = random_matrix(100, 5, 1.0, 8);
  for (std::vector<double>& row : x) {
    row[0] = 2e6 + row[0];
    row[1] *= 1e4;
    row[2] *= 1e-4;
  }
  const std::vector<double> y = random_vector(x.size(), 5);
  const std::vector<double> expected = reference_slopes(x, y);
  const LinearFit fit = fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x), y);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(fit.coefficients[j], expected[j], 1e-8 * std::abs(expected[j])) << "column " << j;
  }
}

TEST(LeastSquares, ResolvesNearlyCollinearColumns) {
  Dense x = random_matrix(100, 5, 1.0, 9);
  for (std::size_t i = 0; i < x.size(); ++i) x[i][4] = x[i][0] + 1e-5 * x[i][4];
  expect_minimum_norm_fit(x, 1e-7);
}

TEST(LeastSquares, PredictsTheMeanWhereThereIsNothingToLearnFrom) {
  const std::vector<double> y = {1, 2, 6};
  for (const Dense& x : {Dense(3), Dense(3, {0, 0}), Dense(3, {5, -1})}) {
    const LinearFit fit =
        fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x), y);
    EXPECT_DOUBLE_EQ(fit.intercept, 3);
    EXPECT_EQ(fit.rank, 0U);
  }
  const LinearFit single = fit_least_squares(
      Context({.threads = 1}), testing::sparse_from_rows({{4, 5}}), std::vector<double>{7});
  EXPECT_EQ(single.intercept, 7);
  EXPECT_EQ(single.coefficients, (std::vector<double>{0, 0}));
}

TEST(LeastSquares, IsTheSameIteratively) {
  Dense duplicate = random_matrix(60, 8, 0.4, 1);
  for (std::vector<double>& row : duplicate) row[2] = row[6];
  for (const Dense& x : {random_matrix(60, 8, 0.4, 1), random_matrix(15, 40, 0.4, 2), duplicate}) {
    const FeatureMatrix sparse = testing::sparse_from_rows(x);
    const std::vector<double> y = random_vector(x.size(), 5);
    for (const double strength : {0.0, 0.7}) {
      const LinearFit direct = fit_ridge(Context({.threads = 1}), sparse, y, strength);
      const LinearFit iterative =
          fit_ridge(Context({.threads = 1}), sparse, y, strength, /*largest_direct=*/0);
      EXPECT_TRUE(iterative.converged);
      EXPECT_NEAR(iterative.intercept, direct.intercept, 1e-7);
      for (std::size_t j = 0; j < direct.coefficients.size(); ++j) {
        EXPECT_NEAR(iterative.coefficients[j], direct.coefficients[j], 1e-7);
      }
    }
  }
}

TEST(Ridge, HasNoGradientAtItsSolution) {
  for (const Dense& x : {random_matrix(40, 9, 0.5, 1), random_matrix(12, 30, 0.5, 2)}) {
    const FeatureMatrix sparse = testing::sparse_from_rows(x);
    const std::vector<double> y = random_vector(x.size(), 5);
    for (const double strength : {1e-3, 1.0, 300.0}) {
      const LinearFit fit = fit_ridge(Context({.threads = 1}), sparse, y, strength);
      std::vector<double> gradient = fit.coefficients;
      for (double& value : gradient) value *= strength;
      double intercept_gradient = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double residual = y[i] - fit.predict(sparse.row(i));
        intercept_gradient -= residual;
        for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= residual * x[i][j];
      }
      EXPECT_NEAR(intercept_gradient, 0, 1e-11);
      for (const double value : gradient) EXPECT_NEAR(value, 0, 1e-11);
    }
  }
}

TEST(Ridge, GoesFromLeastSquaresToTheMean) {
  const FeatureMatrix x = testing::sparse_from_rows(random_matrix(40, 9, 0.5, 1));
  const std::vector<double> y = random_vector(40, 5);
  const std::vector<double> strengths = {0, 1e-12, 1, 1e12,
                                         std::numeric_limits<double>::infinity()};
  const std::vector<LinearFit> path = fit_ridge_path(Context({.threads = 1}), x, y, strengths);
  EXPECT_EQ(path[0].coefficients, fit_least_squares(Context({.threads = 1}), x, y).coefficients);
  EXPECT_EQ(path[2].coefficients, fit_ridge(Context({.threads = 1}), x, y, 1).coefficients);
  EXPECT_DOUBLE_EQ(path[4].intercept, mean(y));
  for (std::size_t j = 0; j < x.cols(); ++j) {
    EXPECT_NEAR(path[1].coefficients[j], path[0].coefficients[j], 1e-10);
    EXPECT_NEAR(path[3].coefficients[j], 0, 1e-9);
    EXPECT_EQ(path[4].coefficients[j], 0);
  }
}

}  // namespace
}  // namespace cone
