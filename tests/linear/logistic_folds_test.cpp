#include "linear/logistic_folds.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "linear/strength_selection.hpp"

namespace cone {
namespace {

struct Folded {
  FeatureMatrix x;
  std::vector<std::uint8_t> label;
  std::vector<std::vector<std::uint32_t>> folds;

  std::vector<std::span<const std::uint32_t>> spans() const { return {folds.begin(), folds.end()}; }
  std::vector<std::uint32_t> all_but(std::size_t left_out) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t f = 0; f < folds.size(); ++f) {
      if (f != left_out) rows.insert(rows.end(), folds[f].begin(), folds[f].end());
    }
    return rows;
  }
};

/// Rows in no order of the folds; the means of the columns are far from zero.
Folded make_folded(std::size_t num_rows, std::size_t num_labels, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix<double> values(num_rows, 4);
  Folded data;
  data.folds.resize(3);
  for (std::uint32_t i = 0; i < num_rows; ++i) {
    for (double& value : values.row(i)) value = 5 + normal(random);
    const double score = values(i, 0) - 0.5 * values(i, 1) - 2.5 + normal(random);
    data.label.push_back(static_cast<std::uint8_t>(
        std::clamp(score + 1, 0.0, static_cast<double>(num_labels) - 0.5)));
    data.folds[(i * 7 + i / 5) % 3].push_back(i);
  }
  data.x = FeatureMatrix(values);
  return data;
}

std::vector<std::uint8_t> labels_of(const Folded& data, std::span<const std::uint32_t> rows) {
  std::vector<std::uint8_t> labels;
  for (const std::uint32_t i : rows) labels.push_back(data.label[i]);
  return labels;
}

/// Few rows, where holding out a fold changes much, and many, where one step is enough.
TEST(LogisticFolds, LossesAreThoseOfFitsThatNeverSawTheFold) {
  const Context context({.threads = 1});
  for (const std::size_t num_labels : {2U, 3U}) {
    for (const std::size_t num_rows : {90U, 6000U}) {
      const Folded data = make_folded(num_rows, num_labels, 3);
      LogisticFolds folds(context, data.x, data.spans(), data.label, num_labels);
      for (const double c : {0.0, 1e-3, 1e-2, 0.1, 1.0, 30.0}) {
        const std::vector<double> losses = folds.held_out_losses(c, 1e-4);
        for (std::size_t f = 0; f < 3; ++f) {
          const std::vector<std::uint32_t> others = data.all_but(f);
          const LogisticFit fit = fit_logistic(context, data.x.select_rows(others),
                                               labels_of(data, others), num_labels, c);
          const double expected =
              HeldOutLabels(data.x, data.folds[f], data.label).total_log_loss(context, fit);
          EXPECT_NEAR(losses[f], expected, 1e-4 * expected)
              << num_labels << " labels, " << num_rows << " rows, C " << c << ", fold " << f;
        }
      }
    }
  }
}

TEST(LogisticFolds, TheFitOnAllRowsIsTheUsualOne) {
  const Context context({.threads = 1});
  const Folded data = make_folded(500, 3, 4);
  LogisticFolds folds(context, data.x, data.spans(), data.label, 3);
  for (const double c : {1e-3, 1.0}) folds.held_out_losses(c, 1e-4);
  const LogisticFit fit = folds.fit(0.1, 1e-9);
  const LogisticFit usual = fit_logistic(context, data.x, data.label, 3, 0.1, 1e-9);
  EXPECT_TRUE(fit.converged);
  for (std::size_t k = 0; k < fit.coefficients.values().size(); ++k) {
    EXPECT_NEAR(fit.coefficients.values()[k], usual.coefficients.values()[k], 1e-8);
  }
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_NEAR(fit.intercepts[a], usual.intercepts[a], 1e-7);
  }
}

TEST(LogisticFolds, RefusesALabelThatOccursInOneFoldOnly) {
  Folded data = make_folded(60, 2, 5);
  for (std::uint8_t& label : data.label) label = 0;
  data.label[data.folds[1][0]] = 1;
  EXPECT_THROW(LogisticFolds(Context({.threads = 1}), data.x, data.spans(), data.label, 2), Error);
}

TEST(StrengthSelection, PathsStopWithTheFirstSplitThatStops) {
  std::vector<std::size_t> visited;
  const auto losses = losses_along_paths(2, 20, [&](std::size_t k) {
    visited.push_back(k);
    // The first split is worse than its best from candidate 2 on, the other keeps improving.
    return std::vector<double>{k == 1 ? 0.0 : 1.0, 9.0 - static_cast<double>(k)};
  });
  EXPECT_EQ(visited, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(losses[0], (std::vector<double>{1, 0, 1, 1, 1}));
  EXPECT_EQ(losses[1], (std::vector<double>{9, 8, 7, 6, 5}));
}

}  // namespace
}  // namespace cone
