#include "linear/logistic.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// P(label = 1) of a fit of two labels.
double probability_of_one(const LogisticFit& fit, const FeatureMatrix::Row& row) {
  std::array<double, 2> probabilities{};
  fit.probabilities(row, probabilities);
  return probabilities[1];
}

using Dense = std::vector<std::vector<double>>;

struct Sample {
  Dense x;
  std::vector<std::uint8_t> label;
};

/// Labels from a logistic model with intercept 0.5 and slopes 1, −1, 0, 0, ...
Sample sample(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Sample out{Dense(rows, std::vector<double>(cols, 0.0)), {}};
  for (std::size_t i = 0; i < rows; ++i) {
    Rng rng(seed, Stream::kTest, i);
    for (double& value : out.x[i]) {
      if (rng.bernoulli(0.5)) value = rng.normal();
    }
    out.label.push_back(rng.bernoulli(sigmoid(0.5 + out.x[i][0] - out.x[i][1])) ? 1 : 0);
  }
  return out;
}

TEST(Logistic, FindsTheSlopesThatMadeTheLabels) {
  const Sample data = sample(20000, 4, 1);
  const LogisticFit fit =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(data.x), data.label, 2, 100);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.intercepts[0], 0.5, 0.06);
  EXPECT_NEAR(fit.coefficients(0, 0), 1, 0.08);
  EXPECT_NEAR(fit.coefficients(0, 1), -1, 0.08);
  EXPECT_NEAR(fit.coefficients(0, 2), 0, 0.08);
}

TEST(Logistic, IsTheNullModelAtCZero) {
  const Sample data = sample(50, 3, 2);
  const LogisticFit fit =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(data.x), data.label, 2, 0);
  double share = 0;
  for (const std::uint8_t label : data.label) share += label / 50.0;
  EXPECT_TRUE(fit.converged);
  for (const double slope : fit.coefficients.values()) EXPECT_EQ(slope, 0);
  EXPECT_NEAR(probability_of_one(fit, FeatureMatrix(testing::sparse_from_rows(data.x)).row(0)),
              share, 1e-15);
}

TEST(Logistic, StaysFiniteOnSeparableLabels) {
  const FeatureMatrix x = testing::sparse_from_rows({{-2}, {-1}, {1}, {3}});
  const std::vector<std::uint8_t> label = {0, 0, 1, 1};
  for (const double c : {1.0, 1e3, 1e6}) {
    const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, label, 2, c);
    EXPECT_TRUE(fit.converged) << c;
    EXPECT_TRUE(std::isfinite(fit.coefficients(0, 0)));
    EXPECT_GT(fit.coefficients(0, 0), 0);
    // At the minimum the penalty's gradient balances that of the loss.
    double pull = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      pull += c * (label[i] - probability_of_one(fit, x.row(i))) * x.row(i).sparse.values[0];
    }
    EXPECT_NEAR(fit.coefficients(0, 0), pull, 1e-5 * fit.coefficients(0, 0));
  }
}

TEST(Logistic, RefusesLabelsThatAreAllEqual) {
  const FeatureMatrix x = testing::sparse_from_rows({{1, 0}, {0, 1}});
  for (const std::uint8_t label : {0, 1}) {
    EXPECT_THROW(
        fit_logistic(Context({.threads = 1}), x, std::vector<std::uint8_t>(2, label), 2, 1), Error);
  }
}

TEST(Logistic, GivesConstantColumnsNoSlope) {
  const Sample data = sample(200, 3, 3);
  Dense padded = data.x;
  for (std::vector<double>& row : padded) row.insert(row.end(), {0.0, 5.0});
  const LogisticFit plain =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(data.x), data.label, 2, 1);
  const LogisticFit fit =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(padded), data.label, 2, 1);
  EXPECT_EQ(fit.coefficients(0, 3), 0);
  EXPECT_EQ(fit.coefficients(0, 4), 0);
  EXPECT_EQ(fit.intercepts[0], plain.intercepts[0]);
}

TEST(Logistic, ShiftedColumnsChangeTheInterceptOnly) {
  const Sample data = sample(300, 3, 4);
  Dense shifted = data.x;
  for (std::vector<double>& row : shifted) row[1] += 2000;
  const LogisticFit plain =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(data.x), data.label, 2, 1);
  const LogisticFit fit =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(shifted), data.label, 2, 1);
  EXPECT_TRUE(fit.converged);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(fit.coefficients(0, j), plain.coefficients(0, j), 1e-7);
  }
  EXPECT_NEAR(fit.intercepts[0], plain.intercepts[0] - 2000 * plain.coefficients(0, 1), 1e-4);
}

TEST(Logistic, SwappedLabelsFlipTheSigns) {
  const Sample data = sample(300, 6, 5);
  std::vector<std::uint8_t> swapped = data.label;
  for (std::uint8_t& label : swapped) label = 1 - label;
  const FeatureMatrix x = testing::sparse_from_rows(data.x);
  const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, data.label, 2, 0.3);
  const LogisticFit flipped = fit_logistic(Context({.threads = 1}), x, swapped, 2, 0.3);
  EXPECT_NEAR(flipped.intercepts[0], -fit.intercepts[0], 1e-7);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(flipped.coefficients(0, j), -fit.coefficients(0, j), 1e-7);
  }
}

TEST(Logistic, ConvergesWithUninformativeFeatures) {
  const std::vector<std::uint8_t> label = {0, 1, 0, 1, 0, 1};
  const Dense balanced = {{0.1, 3}, {0.1, 3}, {0.7, 0}, {0.7, 0}, {0, 1.1}, {0, 1.1}};
  for (const Dense& x : {balanced, Dense(6)}) {
    const LogisticFit fit =
        fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(x), label, 2, 3);
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.iterations, 2);
    EXPECT_NEAR(probability_of_one(fit, FeatureMatrix(testing::sparse_from_rows(x)).row(0)), 0.5,
                1e-14);
  }
}

TEST(Logistic, TakesMoreColumnsThanRowsAndDuplicates) {
  Sample data = sample(25, 60, 6);
  for (std::vector<double>& row : data.x) row[7] = row[30];
  const LogisticFit fit =
      fit_logistic(Context({.threads = 1}), testing::sparse_from_rows(data.x), data.label, 2, 10);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.coefficients(0, 7), fit.coefficients(0, 30), 1e-7);
}

/// Nearly uninformative features, in the order of a fold: near the minimum, where the objective
/// decreases by less than its rounding, a line search by its values would not end.
TEST(Logistic, EndsWithNearlyUninformativeFeatures) {
  Sample data;
  for (std::size_t i = 0; i < 30000; ++i) {
    if (Rng(5, Stream::kTest, i).bernoulli(0.2)) continue;
    data.x.push_back({static_cast<double>(i % 3), static_cast<double>(i % 5)});
    data.label.push_back(i % 2);
  }
  const FeatureMatrix x = testing::sparse_from_rows(data.x);
  for (const double c : {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0}) {
    const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, data.label, 2, c);
    EXPECT_TRUE(fit.converged) << c;
    EXPECT_LE(fit.iterations, 12) << c;
  }
}

TEST(Logistic, EndsOnSeparableLabelsConstantAndRepeatedColumns) {
  Sample data;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double value = Rng(6, Stream::kTest, i).normal();
    data.x.push_back({value, 1.0, value, 1e-3 * value});
    data.label.push_back(value > 0 ? 1 : 0);
  }
  const FeatureMatrix x = testing::sparse_from_rows(data.x);
  for (const double c : {1e-3, 1.0, 1e3, 1e6, 1e9}) {
    const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, data.label, 2, c);
    EXPECT_TRUE(fit.converged) << c;
    EXPECT_LE(fit.iterations, 60) << c;
    EXPECT_EQ(fit.coefficients(0, 1), 0);
    EXPECT_NEAR(fit.coefficients(0, 0) / fit.coefficients(0, 2), 1, 1e-6) << c;
  }
}

TEST(Logistic, StopsWhenTheObserverAsks) {
  class Impatient : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  Impatient observer;
  const Context context({.threads = 1, .progress = &observer});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that it is time to ask
  const Sample data = sample(500, 4, 1);
  EXPECT_THROW(fit_logistic(context, testing::sparse_from_rows(data.x), data.label, 2, 1),
               Cancelled);
}

}  // namespace
}  // namespace cone
