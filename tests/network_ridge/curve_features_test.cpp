// Features of the curves of single columns.

#include "network_ridge/curve_features.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

const Context kCurveContext({.threads = 2});

Matrix<double> random_columns(std::size_t n, std::size_t columns) {
  Rng rng(71, Stream::kTest);
  Matrix<double> out(n, columns);
  for (double& value : out.values()) value = rng.normal();
  return out;
}

TEST(CurveFeatures, MultiplyToARandomWalkAlongTheRanks) {
  constexpr std::size_t kRows = 200;
  const Matrix<double> column = random_columns(kRows, 1);
  const Matrix<double> features = make_curve_features(kCurveContext, column);
  EXPECT_EQ(features.cols(), kMostCurveFeatures);
  const auto rank_of = [&](std::size_t i) {
    double below = 0;
    for (std::size_t j = 0; j < kRows; ++j) below += column(j, 0) < column(i, 0) ? 1 : 0;
    return (below + 0.5) / kRows;
  };
  for (std::size_t i = 0; i < kRows; i += 7) {
    for (std::size_t j = 0; j < kRows; j += 11) {
      const double u = rank_of(i);
      const double v = rank_of(j);
      // The truncation error of the kernel is at most Σ_{k>30} 2/(kπ)², 0.0066.
      EXPECT_NEAR(dot(features.row(i), features.row(j)),
                  1.0 / 3 - std::max(u, v) + (u * u + v * v) / 2, 0.0067);
    }
  }
}

TEST(CurveFeatures, DoNotChangeUnderIncreasingTransformationsOrThreads) {
  Matrix<double> columns = random_columns(5000, 3);
  const Matrix<double> features = make_curve_features(Context({.threads = 1}), columns);
  for (std::size_t i = 0; i < 5000; ++i) {
    columns(i, 0) = std::exp(3 * columns(i, 0));
    columns(i, 1) = std::pow(columns(i, 1), 3) - 40;
  }
  const Matrix<double> same = make_curve_features(Context({.threads = 5}), columns);
  EXPECT_TRUE(std::ranges::equal(features.values(), same.values()));
}

TEST(CurveFeatures, MoveWithTheRows) {
  Matrix<double> columns = random_columns(300, 2);
  for (std::size_t i = 0; i < 300; ++i) columns(i, 1) = std::round(columns(i, 1));  // ties
  const auto order = Rng(4, Stream::kTest).permutation(300);
  Matrix<double> permuted(300, 2);
  for (std::size_t i = 0; i < 300; ++i)
    std::ranges::copy(columns.row(order[i]), permuted.row(i).begin());
  const Matrix<double> features = make_curve_features(kCurveContext, columns);
  const Matrix<double> moved = make_curve_features(kCurveContext, permuted);
  ASSERT_EQ(moved.cols(), features.cols());
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_TRUE(std::ranges::equal(moved.row(i), features.row(order[i])));
  }
}

TEST(CurveFeatures, AreAsManyAsTheColumnsHaveDistinctValuesFor) {
  Matrix<double> few(60, 3);
  for (std::size_t i = 0; i < 60; ++i) {
    few(i, 0) = static_cast<double>(i % 2);  // two values: no curve
    few(i, 1) = static_cast<double>(i % 5);
    few(i, 2) = 7;
  }
  EXPECT_EQ(make_curve_features(kCurveContext, few).cols(), 4U);
  EXPECT_EQ(make_curve_features(kCurveContext, Matrix<double>(60, 0)).cols(), 0U);
  EXPECT_EQ(make_curve_features(kCurveContext, random_columns(60, 20)).cols(), 300U);
  EXPECT_EQ(make_curve_features(kCurveContext, random_columns(60, 200)).cols(),
            200 * kFewestCurveFeatures);
}

}  // namespace
}  // namespace cone
