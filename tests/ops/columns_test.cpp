#include "ops/columns.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "ops/random_inputs.hpp"

namespace cone::ops {
namespace {

/// Columns with a gap behind each, as in blocks of a longer matrix.
struct Block {
  Matrix<double> values;
  MatrixView<const double> view;
  Block(std::size_t columns, std::size_t rows, std::uint32_t seed)
      : values(random_matrix(columns, rows + 3, seed)),
        view(values.data(), columns, rows, rows + 3) {}
};

TEST(Columns, ProductsAreThoseOfTheDefinition) {
  for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 11U}) {
    for (const std::size_t rows : {0U, 1U, 7U, 8U, 17U, 64U, 131U}) {
      const Block x(width, rows, 1);
      const Block other(width, rows, 2);
      const Matrix<double> u = random_matrix(1, width, 3);
      const Matrix<double> r = random_matrix(1, rows, 4);
      std::vector<double> image(rows, 7.0);
      std::vector<double> sums(width, 2.0);
      Matrix<double> products(width, width, 3.0);
      multiply_columns(x.view, u.row(0), 0.5, image);
      add_columns_transposed(x.view, r.row(0), sums);
      add_column_products(x.view, other.view, products.view());
      for (std::size_t i = 0; i < rows; ++i) {
        double expected = 0.5;
        for (std::size_t j = 0; j < width; ++j) expected += x.view(j, i) * u(0, j);
        EXPECT_NEAR(image[i], expected, 1e-13) << width << " columns, row " << i;
      }
      for (std::size_t a = 0; a < width; ++a) {
        double expected = 2;
        for (std::size_t i = 0; i < rows; ++i) expected += x.view(a, i) * r(0, i);
        EXPECT_NEAR(sums[a], expected, 1e-12) << rows << " rows, column " << a;
        for (std::size_t b = 0; b < width; ++b) {
          double product = 3;
          for (std::size_t i = 0; b <= a && i < rows; ++i)
            product += x.view(a, i) * other.view(b, i);
          EXPECT_NEAR(products(a, b), product, 1e-12) << rows << " rows, " << a << ", " << b;
        }
      }
    }
  }
}

TEST(Columns, SizesMustAgree) {
  const Block x(3, 8, 1);
  std::vector<double> two(2), three(3), eight(8);
  Matrix<double> products(3, 2);
  EXPECT_THROW(multiply_columns(x.view, two, 0, eight), Error);
  EXPECT_THROW(multiply_columns(x.view, three, 0, three), Error);
  EXPECT_THROW(add_columns_transposed(x.view, eight, two), Error);
  EXPECT_THROW(add_column_products(x.view, x.view, products.view()), Error);
}

}  // namespace
}  // namespace cone::ops
