#include "nuisance/propensity_fit.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

struct ThreeArms {
  FeatureMatrix x;
  std::vector<Arm> treatment;
  FitTask task;  ///< fits on all nodes, chooses on thirds of them
};

/// Arm 1 is more likely the larger the first feature, arm 2 the larger the second.
ThreeArms three_arms(std::size_t n) {
  std::vector<std::vector<double>> rows;
  ThreeArms out;
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(1, Stream::kTest, i);
    rows.push_back({rng.normal(), rng.normal()});
    const double one = std::exp(rows.back()[0]);
    const double two = std::exp(rows.back()[1]);
    const double u = rng.uniform() * (1 + one + two);
    out.treatment.push_back(u < 1 ? 0 : u < 1 + one ? 1 : 2);
  }
  out.x = testing::sparse_from_rows(rows);
  out.task.selection.resize(3);
  for (NodeIndex i = 0; i < n; ++i) {
    out.task.fit.push_back(i);
    for (std::size_t s = 0; s < 3; ++s) {
      (i % 3 == s ? out.task.selection[s].score : out.task.selection[s].fit).push_back(i);
    }
  }
  return out;
}

TEST(PropensityFit, GivesTheProbabilitiesOfThreeArms) {
  const ThreeArms data = three_arms(6000);
  const PropensityFit fit =
      fit_propensities(Context({.threads = 2}), data.x, data.treatment, 3, 2.0, {&data.task, 1})[0];
  EXPECT_TRUE(fit.model.converged);
  ASSERT_EQ(fit.model.num_labels(), 3U);
  std::vector<double> probabilities(3);
  for (std::size_t i = 0; i < 200; ++i) {
    const double one = std::exp(data.x.row(i).at(0));
    const double two = std::exp(data.x.row(i).at(1));
    fit.model.probabilities(data.x.row(i), probabilities);
    EXPECT_NEAR(sum(probabilities), 1, 1e-14);
    EXPECT_NEAR(probabilities[1], one / (1 + one + two), 0.05);
    EXPECT_NEAR(probabilities[2], two / (1 + one + two), 0.05);
  }
  // Better than predicting the shares of the arms.
  EXPECT_LT(fit.held_out_loss, std::log(3.0) - 0.1);
}

/// Dense columns share one block of rows, sparse ones have a path of fits per split.
TEST(PropensityFit, IsTheSameWhereTheFitsShareTheirRows) {
  for (const std::size_t num_nodes : {150U, 6000U}) {
    const ThreeArms data = three_arms(num_nodes);
    const FeatureMatrix dense = store_full_columns_densely(data.x.to_sparse(), 2);
    ASSERT_EQ(dense.dense_columns().size(), 2U);
    const auto fit = [&](const FeatureMatrix& x) {
      return fit_propensities(Context({.threads = 2}), x, data.treatment, 3, 2.0,
                              {&data.task, 1})[0];
    };
    const PropensityFit apart = fit(data.x);
    const PropensityFit shared = fit(dense);
    EXPECT_EQ(shared.strength, apart.strength);
    EXPECT_NEAR(shared.held_out_loss, apart.held_out_loss, 5e-5);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(shared.model.coefficients.values()[k], apart.model.coefficients.values()[k],
                  1e-7);
    }
  }
}

TEST(PropensityFit, ChoosesOnSplitsThatHaveEveryArm) {
  ThreeArms data = three_arms(600);
  for (NodeIndex i = 0; i < 600; ++i) {
    if (data.treatment[i] == 2 && i % 3 != 0) data.treatment[i] = 0;
  }
  // Only the split that scores the nodes 0, 3, 6, ... now lacks arm 2 where it fits.
  const PropensityFit fit =
      fit_propensities(Context({.threads = 2}), data.x, data.treatment, 3, 2.0, {&data.task, 1})[0];
  FitTask others = data.task;
  others.selection.erase(others.selection.begin());
  const PropensityFit same =
      fit_propensities(Context({.threads = 2}), data.x, data.treatment, 3, 2.0, {&others, 1})[0];
  EXPECT_EQ(fit.strength, same.strength);
  EXPECT_EQ(fit.held_out_loss, same.held_out_loss);
  FitTask none = data.task;
  none.selection.resize(1);
  EXPECT_THROW(
      fit_propensities(Context({.threads = 2}), data.x, data.treatment, 3, 2.0, {&none, 1}), Error);
}

}  // namespace
}  // namespace cone
