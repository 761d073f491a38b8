#include "linear/centred_matrix.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "linear/linear_smoother.hpp"
#include "linear/logistic.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

using Rows = std::vector<std::vector<double>>;

/// Column 0 is far from zero, 1 is full, 2 constant, 3 rare, 4 more than half full, 5 empty, and so
/// on from the start.
Rows mixed_rows(std::size_t rows, std::size_t cols) {
  Rows x(rows, std::vector<double>(cols, 0.0));
  for (std::size_t i = 0; i < rows; ++i) {
    Rng rng(9, Stream::kTest, i);
    for (std::size_t j = 0; j < cols; ++j) {
      const double value = rng.normal();
      switch (j % 6) {
        case 0:
          x[i][j] = 5000 + value;
          break;
        case 1:
          x[i][j] = value;
          break;
        case 2:
          x[i][j] = 0.1;
          break;
        case 3:
          x[i][j] = rng.bernoulli(0.2) ? value : 0;
          break;
        case 4:
          x[i][j] = rng.bernoulli(0.8) ? 1 : 0;
          break;
        default:
          break;
      }
    }
  }
  return x;
}

/// The same matrix with no dense columns, with the full ones dense, and with all columns dense.
std::vector<FeatureMatrix> stored_each_way(const Rows& x) {
  Matrix<double> all(x.size(), x[0].size());
  for (std::size_t i = 0; i < x.size(); ++i)
    std::copy(x[i].begin(), x[i].end(), all.row(i).begin());
  return {testing::sparse_from_rows(x),
          store_full_columns_densely(testing::sparse_from_rows(x), x[0].size()),
          FeatureMatrix(std::move(all))};
}

/// The columns that are not constant, centred, in the order of x.
Rows centred_by_hand(const Rows& x, const CentredMatrix& like) {
  Rows out(x.size());
  for (const std::uint32_t j : like.kept()) {
    CompensatedSum total;
    for (const auto& row : x) total.add(row[j]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i].push_back(x[i][j] - total.value() / static_cast<double>(x.size()));
    }
  }
  return out;
}

std::vector<double> numbers(std::size_t size) {
  std::vector<double> out(size);
  Rng rng(2, Stream::kTest, 1U << 21);
  for (double& value : out) value = rng.normal();
  return out;
}

TEST(CentredMatrix, MultipliesLikeTheExplicitMatrixInEveryStorage) {
  const Context context({.threads = 1});
  const Rows rows = mixed_rows(300, 12);
  for (const FeatureMatrix& x : stored_each_way(rows)) {
    const CentredMatrix centred(context, x);
    ASSERT_EQ(centred.cols(), 8U);
    const Rows expected = centred_by_hand(rows, centred);
    const std::vector<double> u = numbers(8);
    const std::vector<double> r = numbers(300);
    std::vector<double> product(300);
    std::vector<double> transposed(8);
    centred.multiply(u, product);
    centred.multiply_transposed(r, transposed);
    const Matrix<double> gram = centred.column_gram(context);
    const Matrix<double> row_gram = centred.row_gram(context);
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_NEAR(product[i], dot(expected[i], u), 1e-10);
      EXPECT_NEAR(row_gram(i, i / 2), dot(expected[i], expected[i / 2]), 1e-9);
    }
    for (std::size_t a = 0; a < 8; ++a) {
      double with_r = 0;
      for (std::size_t i = 0; i < 300; ++i) with_r += expected[i][a] * r[i];
      EXPECT_NEAR(transposed[a], with_r, 1e-9);
      for (std::size_t b = 0; b <= a; ++b) {
        double with_b = 0;
        for (std::size_t i = 0; i < 300; ++i) with_b += expected[i][a] * expected[i][b];
        EXPECT_NEAR(gram(a, b), with_b, 1e-9) << a << ", " << b;
      }
      EXPECT_NEAR(centred.sums_of_squares()[a], gram(a, a), 1e-9);
    }
  }
}

TEST(CentredMatrix, KeepsItsDigitsWhereMeansDwarfSpreads) {
  Rows rows = mixed_rows(1000, 2);
  for (auto& row : rows) row[0] = 1e9 + row[1];
  const Context context({.threads = 1});
  for (const FeatureMatrix& x : stored_each_way(rows)) {
    const CentredMatrix centred(context, x);
    std::vector<double> total(2);
    centred.multiply_transposed(std::vector<double>(1000, 1.0), total);
    EXPECT_NEAR(total[0], 0, 1e-4);  // half a unit in the last place of the mean, times 1000
    EXPECT_NEAR(total[1], 0, 1e-12);
    EXPECT_NEAR(centred.sums_of_squares()[0], centred.sums_of_squares()[1], 1e-4);
  }
}

TEST(CentredMatrix, RegressionsDoNotDependOnTheStorage) {
  const Context context({.threads = 1});
  for (const auto& [num_rows, num_cols] : {std::pair{200U, 12U}, std::pair{20U, 60U}}) {
    const Rows rows = mixed_rows(num_rows, num_cols);
    const std::vector<double> y = numbers(num_rows);
    std::vector<std::uint8_t> label;
    for (const double value : y) label.push_back(value > 1 ? 2 : value > 0 ? 1 : 0);
    const std::vector<FeatureMatrix> stored = stored_each_way(rows);
    for (const double strength : {0.0, 3.0}) {
      const LinearFit expected = fit_ridge(context, stored[0], y, strength);
      for (const FeatureMatrix& x : stored) {
        const LinearFit fit = fit_ridge(context, x, y, strength);
        EXPECT_EQ(fit.rank, expected.rank);
        for (std::size_t i = 0; i < num_rows; ++i) {
          EXPECT_NEAR(fit.predict(x.row(i)), expected.predict(stored[0].row(i)), 1e-9);
        }
      }
    }
    const LogisticFit expected = fit_logistic(context, stored[0], label, 3, 0.5);
    std::vector<double> p(3);
    std::vector<double> q(3);
    for (const FeatureMatrix& x : stored) {
      const LogisticFit fit = fit_logistic(context, x, label, 3, 0.5);
      EXPECT_TRUE(fit.converged);
      for (std::size_t i = 0; i < num_rows; ++i) {
        fit.probabilities(x.row(i), p);
        expected.probabilities(stored[0].row(i), q);
        for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(p[a], q[a], 1e-7);
      }
    }
  }
}

TEST(CentredMatrix, WeightsGiveThePredictionsInEveryStorage) {
  const Context context({.threads = 1});
  const Rows rows = mixed_rows(200, 12);
  const std::vector<double> y = numbers(200);
  for (const FeatureMatrix& x : stored_each_way(rows)) {
    LinearSmoother smoother(context, x);
    smoother.set_strength(2);
    const LinearFit fit = smoother.fit(y);
    Matrix<double> sums(1, 12);
    add_scaled(3, x.row(7), sums.row(0));
    const Matrix<double> weights = smoother.weights(sums, std::vector<double>{3});
    EXPECT_NEAR(dot(weights.row(0), y), 3 * fit.predict(x.row(7)), 1e-9);
  }
}

}  // namespace
}  // namespace cone
