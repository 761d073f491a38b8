#include "ops/dense.hpp"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "ops/random_inputs.hpp"
#include "ops/reference.hpp"

namespace cone::ops {
namespace {

constexpr double kDenseFloatTolerance = 1e-5;
constexpr double kDenseDoubleTolerance = 1e-13;

using Shape = std::tuple<std::size_t, std::size_t, std::size_t>;  // rows, inner, columns

class DenseOfShape : public ::testing::TestWithParam<Shape> {};

template <class Real>
void expect_products(const Shape& shape, double tolerance) {
  const auto [rows, inner, cols] = shape;
  const Context context({.threads = 2});
  const Matrix<double> a = random_matrix(rows, inner, 1), b = random_matrix(inner, cols, 2);
  const Matrix<double> c = random_matrix(rows, cols, 3);
  const Matrix<Real> ra = as<Real>(a), rb = as<Real>(b), rc = as<Real>(c);
  Matrix<Real> out(rows, cols, Real{7});
  multiply(context, constant(ra), constant(rb), out.view());
  EXPECT_LT(largest_difference(out, reference::multiply(a, b)), tolerance);
  multiply(context, constant(ra), constant(rb), out.view(), true);
  Matrix<double> twice = reference::multiply(a, b);
  for (double& value : twice.values()) value *= 2;
  EXPECT_LT(largest_difference(out, twice), tolerance);

  Matrix<Real> reduced(inner, cols, Real{7});
  multiply_transposed_a(context, constant(ra), constant(rc), reduced.view());
  EXPECT_LT(largest_difference(reduced, reference::multiply(reference::transposed(a), c)),
            tolerance);

  Matrix<Real> back(rows, inner, Real{7});
  multiply_transposed_b(context, constant(rc), constant(rb), back.view());
  EXPECT_LT(largest_difference(back, reference::multiply(c, reference::transposed(b))), tolerance);
}

TEST_P(DenseOfShape, ProductsAgreeWithTheReference) {
  expect_products<double>(GetParam(), kDenseDoubleTolerance);
  expect_products<float>(GetParam(), kDenseFloatTolerance);
}

template <class Real>
void expect_activation(std::size_t rows, std::size_t cols, double tolerance) {
  const Context context({.threads = 2});
  const Matrix<double> x = random_matrix(rows, cols, 4, 3), bias = random_matrix(1, cols, 5);
  const Matrix<double> upstream = random_matrix(rows, cols, 6);
  Matrix<double> y(rows, cols), d(rows, cols), d_bias(1, cols), sums(1, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < cols; ++c) {
      const double sum = x(i, c) + bias(0, c);
      y(i, c) = reference::elu(sum);
      d(i, c) = upstream(i, c) * (sum > 0 ? 1 : std::exp(sum));
      d_bias(0, c) += d(i, c);
      sums(0, c) += x(i, c);
    }
  }
  Matrix<Real> z = as<Real>(x), gradient = as<Real>(upstream);
  Matrix<Real> bias_gradient(1, cols, Real{7}), column(1, cols, Real{7});
  const Matrix<Real> real_x = as<Real>(x), real_bias = as<Real>(bias);
  column_sums(context, constant(real_x), column.values());
  bias_elu(context, real_bias.values(), z.view());
  bias_elu_backward(context, constant(z), gradient.view(), bias_gradient.values());
  EXPECT_LT(largest_difference(column, sums), tolerance);
  EXPECT_LT(largest_difference(z, y), tolerance);
  EXPECT_LT(largest_difference(gradient, d), tolerance);
  EXPECT_LT(largest_difference(bias_gradient, d_bias), tolerance);
}

TEST_P(DenseOfShape, BiasAndEluAgreeWithTheReference) {
  expect_activation<double>(std::get<0>(GetParam()), std::get<2>(GetParam()),
                            kDenseDoubleTolerance);
  expect_activation<float>(std::get<0>(GetParam()), std::get<2>(GetParam()), kDenseFloatTolerance);
}

INSTANTIATE_TEST_SUITE_P(RowsInnerColumns, DenseOfShape,
                         ::testing::Values(Shape{1, 1, 1}, Shape{7, 3, 17}, Shape{300, 128, 64},
                                           Shape{2500, 16, 3}, Shape{600, 64, 1}, Shape{0, 4, 5},
                                           Shape{4, 0, 5}));

TEST(Dense, EluKeepsItsPrecisionFromTinyToLargeValues) {
  Matrix<float> x(1, 7);
  const float values[] = {-1e-30F, -1e-7F, -1e-3F, -0.4F, -1.0F, -20.0F, -1000.0F};
  std::copy(std::begin(values), std::end(values), x.values().begin());
  const std::vector<float> bias(7, 0.0F);
  bias_elu<float>(Context({.threads = 1}), bias, x.view());
  for (std::size_t c = 0; c < 7; ++c) {
    const double expected = std::expm1(static_cast<double>(values[c]));
    EXPECT_NEAR(x(0, c) / expected, 1, 2e-7);
  }
}

TEST(Dense, ResultsAreTheSameAtAnyNumberOfThreads) {
  const Matrix<float> a = as<float>(random_matrix(5000, 40, 1));
  const Matrix<float> b = as<float>(random_matrix(5000, 24, 2));
  const auto run = [&](int threads) {
    const Context context({.threads = threads});
    Matrix<float> reduced(40, 24), product(5000, 24), sums(1, 24);
    multiply_transposed_a(context, constant(a), constant(b), reduced.view());
    multiply(context, constant(a), constant(reduced), product.view());
    Matrix<float> d = b;
    bias_elu_backward<float>(context, constant(product), d.view(), sums.values());
    std::vector<float> all(reduced.values().begin(), reduced.values().end());
    all.insert(all.end(), product.values().begin(), product.values().end());
    all.insert(all.end(), sums.values().begin(), sums.values().end());
    return all;
  };
  EXPECT_EQ(run(1), run(2));
  EXPECT_EQ(run(1), run(5));
}

}  // namespace
}  // namespace cone::ops
