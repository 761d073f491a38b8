#include "ops/inverse.hpp"

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "ops/cholesky.hpp"
#include "ops/random_inputs.hpp"
#include "support/plain_product.hpp"

namespace cone::ops {
namespace {

/// M·M' + I.
Matrix<double> positive(std::size_t n) {
  Matrix<double> out = testing::plain_gram(random_matrix(n, n, 11));
  for (std::size_t i = 0; i < n; ++i) out(i, i) += 1;
  return out;
}

// Sizes around the strips of 128 columns and the tiles of 256 rows.
TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  for (const std::size_t n : {0U, 1U, 5U, 127U, 128U, 129U, 257U, 300U}) {
    const Matrix<double> matrix = positive(n);
    Matrix<double> factor = matrix;
    ASSERT_TRUE(factorise_cholesky(Context({.threads = 2}), factor.view()));
    const Matrix<double> inverse =
        invert_from_cholesky(Context({.threads = 2}), std::as_const(factor).view());
    const Matrix<double> product = testing::plain_product(matrix, inverse);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_EQ(inverse(i, j), inverse(j, i));
        ASSERT_NEAR(product(i, j), i == j ? 1 : 0, 1e-9) << n << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(Inverse, ReadsTheLowerTriangleOnly) {
  Matrix<double> factor = positive(140);
  ASSERT_TRUE(factorise_cholesky(Context({.threads = 1}), factor.view()));
  const Matrix<double> expected =
      invert_from_cholesky(Context({.threads = 1}), std::as_const(factor).view());
  for (std::size_t i = 0; i < 140; ++i) {
    for (std::size_t j = i + 1; j < 140; ++j) factor(i, j) = std::nan("");
  }
  const Matrix<double> found =
      invert_from_cholesky(Context({.threads = 1}), std::as_const(factor).view());
  EXPECT_TRUE(std::ranges::equal(found.values(), expected.values()));
}

TEST(RowProducts, AreAddedToBothTriangles) {
  for (const std::size_t n : {1U, 5U, 256U, 259U}) {
    for (const std::size_t width : {0U, 1U, 7U}) {
      // A view of the first columns of a wider matrix.
      const Matrix<double> wide = random_matrix(n, width + 2, 12);
      const MatrixView<const double> m(wide.data(), n, width, width + 2);
      Matrix<double> out(n, n, 0.5);
      add_row_products(Context({.threads = 2}), m, out);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          double expected = 0.5;
          for (std::size_t k = 0; k < width; ++k) expected += m(i, k) * m(j, k);
          ASSERT_NEAR(out(i, j), expected, 1e-12);
        }
      }
    }
  }
}

TEST(Products, AreThoseOfTheDefinition) {
  for (const auto& [rows, inner, cols] :
       {std::array<std::size_t, 3>{3, 4, 5}, {257, 3, 2}, {1, 300, 1}, {4, 0, 3}, {0, 3, 3}}) {
    const Matrix<double> a = random_matrix(rows, inner, 13);
    const Matrix<double> b = random_matrix(inner, cols, 14);
    const Matrix<double> found = multiply(Context({.threads = 2}), a.view(), b.view());
    ASSERT_EQ(found.rows(), rows);
    ASSERT_EQ(found.cols(), cols);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        double expected = 0;
        for (std::size_t k = 0; k < inner; ++k) expected += a(i, k) * b(k, j);
        ASSERT_NEAR(found(i, j), expected, 1e-11);
      }
    }
  }
}

// Around the 4,096 rows that are summed in one piece.
TEST(Products, OfTransposedTablesAreThoseOfTheDefinition) {
  for (const std::size_t rows : {0U, 1U, 4096U, 4097U, 9000U}) {
    const Matrix<double> a = random_matrix(rows, 3, 15);
    const Matrix<double> b = random_matrix(rows, 2, 16);
    const Matrix<double> found = multiply_transposed(Context({.threads = 2}), a.view(), b.view());
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        double expected = 0;
        for (std::size_t k = 0; k < rows; ++k) expected += a(k, i) * b(k, j);
        ASSERT_NEAR(found(i, j), expected, 1e-9) << rows;
      }
    }
  }
}

TEST(Inverse, IsBitwiseEqualAtAnyNumberOfThreads) {
  Matrix<double> factor = positive(300);
  ASSERT_TRUE(factorise_cholesky(Context({.threads = 1}), factor.view()));
  const Matrix<double> tall = random_matrix(9000, 4, 17);
  const auto all = [&](int threads) {
    const Context context({.threads = threads});
    Matrix<double> products(300, 300);
    add_row_products(context, std::as_const(factor).view(), products);
    return std::array{invert_from_cholesky(context, std::as_const(factor).view()),
                      multiply(context, std::as_const(factor).view(), products.view()),
                      multiply_transposed(context, tall.view(), tall.view()), products};
  };
  const auto one = all(1);
  for (const int threads : {2, 5}) {
    const auto many = all(threads);
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_TRUE(std::ranges::equal(one[k].values(), many[k].values())) << threads << ' ' << k;
    }
  }
}

TEST(Inverse, SizesMustAgree) {
  const Context context({.threads = 1});
  const Matrix<double> a(3, 4);
  const Matrix<double> b(3, 2);
  Matrix<double> out(4, 4);
  EXPECT_THROW(invert_from_cholesky(context, a.view()), Error);
  EXPECT_THROW(add_row_products(context, a.view(), out), Error);
  EXPECT_THROW(multiply(context, a.view(), b.view()), Error);
  EXPECT_THROW(multiply_transposed(context, a.view(), out.view()), Error);
}

}  // namespace
}  // namespace cone::ops
