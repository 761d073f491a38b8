#include "linear/moments.hpp"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "linear/linear.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

struct Regression {
  FeatureMatrix x;
  std::vector<double> y;
  std::vector<std::uint32_t> fit, score;
  std::vector<double> origin;
};

/// Columns of several means and units, one of them rare and one constant; every third row is held
/// out.
Regression regression(double noise) {
  std::vector<std::vector<double>> rows;
  Regression out;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Rng rng(4, Stream::kTest, i);
    rows.push_back({rng.normal(), 50 + rng.normal(), rng.bernoulli(0.1) ? 3.0 : 0.0, 7, 0});
    rows.back()[4] = 1e-3 * (rng.normal() + rows.back()[0]);
    out.y.push_back(rows.back()[0] - 0.5 * rows.back()[1] + rows.back()[2] + noise * rng.normal());
    (i % 3 == 0 ? out.score : out.fit).push_back(i);
  }
  out.x = store_full_columns_densely(testing::sparse_from_rows(rows), 5);
  out.origin = {0.1, 50.1, 0.3, 7, 0, -25};
  return out;
}

TEST(RidgePath, AgreesWithTheRegressionOnTheRows) {
  const Context context({.threads = 1});
  const Regression data = regression(1);
  ASSERT_FALSE(data.x.dense_columns().empty());
  const RidgePath path(context, measure_moments(context, data.x, data.y, data.fit, data.origin));
  const Moments held_out = measure_moments(context, data.x, data.y, data.score, data.origin);
  std::vector<double> y;
  for (const std::uint32_t i : data.fit) y.push_back(data.y[i]);
  for (const double strength : {1e-3, 1.0, 100.0, 1e4, std::numeric_limits<double>::infinity()}) {
    const LinearFit expected = fit_ridge(context, data.x.select_rows(data.fit), y, strength);
    const std::vector<double> slopes = path.find_slopes(strength);
    const double intercept = path.find_intercept(slopes);
    EXPECT_NEAR(intercept, expected.intercept, 1e-8);
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      EXPECT_NEAR(slopes[j], expected.coefficients[j], 1e-9) << j;
    }
    double loss = 0;
    for (const std::uint32_t i : data.score) {
      const double residual = data.y[i] - expected.predict(data.x.row(i));
      loss += residual * residual;
    }
    EXPECT_NEAR(sum_squared_residuals(held_out, slopes, intercept), loss, 1e-9 * loss);
  }
}

TEST(Moments, OfTwoPartsAreThoseOfTheWhole) {
  const Context context({.threads = 1});
  const Regression data = regression(1);
  std::vector<std::uint32_t> all(300);
  std::iota(all.begin(), all.end(), 0U);
  const Moments whole = measure_moments(context, data.x, data.y, all, data.origin);
  const Moments merged = merge_moments(
      merge_moments(Moments{}, measure_moments(context, data.x, data.y, data.fit, data.origin)),
      measure_moments(context, data.x, data.y, data.score, data.origin));
  EXPECT_EQ(merged.count, 300);
  for (std::size_t a = 0; a < whole.mean.size(); ++a) {
    EXPECT_NEAR(merged.mean[a], whole.mean[a], 1e-12);
    for (std::size_t b = 0; b <= a; ++b) {
      EXPECT_NEAR(merged.products(a, b), whole.products(a, b), 1e-10);
    }
  }
}

TEST(RidgePath, IsForFewColumnsOfTables) {
  const Regression data = regression(1);
  EXPECT_TRUE(prefers_moments(Context(), data.x, 18));
  EXPECT_FALSE(prefers_moments(Context(), data.x.to_sparse(), 18));
  EXPECT_FALSE(prefers_moments(Context(), FeatureMatrix(Matrix<double>(10, 2000, 1.0)), 18));
}

}  // namespace
}  // namespace cone
