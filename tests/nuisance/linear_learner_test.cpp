#include "nuisance/linear_learner.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

#include "cone/error.hpp"

#include "data/split.hpp"
#include "linear/linear.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/by_node.hpp"

namespace cone {
namespace {

using testing::same_bits;
using testing::simulate;
using testing::three_policies;

constexpr LinearModel kModels[] = {LinearModel::kOls1, LinearModel::kOls2, LinearModel::kRidge};

/// The predictions of a learner for every node, and for the three policies.
struct Predicted {
  std::vector<double> mu0, mu1;
  Matrix<double> implied_weights;  // policies × nodes
  std::vector<double> model_variance, chosen_strengths;
  std::vector<std::string> warnings;
};

Predicted predict(const Dataset& data, const FitPlan& plan, LinearModel model, int threads = 2,
                  std::size_t kept_bytes = LinearLearner::kKeptBytes) {
  const Context context({.threads = threads});
  const testing::ByNode learnt = testing::by_node(
      LinearLearner(model, {}, kept_bytes).fit(context, data, plan), plan.scored, data.num_nodes());
  const Matrix<double> policies = three_policies(data.num_nodes());
  std::vector<Matrix<double>> tables;
  std::vector<MatrixView<const double>> views;
  for (std::size_t k = 0; k < policies.rows(); ++k) {
    tables.push_back(two_arm_probabilities(policies.row(k)));
  }
  for (const Matrix<double>& table : tables) views.push_back(table.view());
  const OutcomeTable& outcome = *learnt.learnt.outcome;
  Predicted out{.mu0 = learnt.mu0,
                .mu1 = learnt.mu1,
                .implied_weights = Matrix<double>(policies.rows(), data.num_nodes()),
                .chosen_strengths = outcome.chosen_strengths,
                .warnings = outcome.warnings};
  const auto implied = outcome.variance->imply_weights(context, views);
  for (std::size_t k = 0; k < implied.size(); ++k) {
    std::copy(implied[k].weights.begin(), implied[k].weights.end(),
              out.implied_weights.row(k).begin());
    out.model_variance.push_back(implied[k].variance);
  }
  return out;
}

Split thirds(std::size_t num_nodes) {
  Split split;
  for (NodeIndex i = 0; i < num_nodes; ++i) {
    (i % 3 == 0 ? split.test : i % 6 == 1 ? split.validation : split.train).push_back(i);
  }
  return split;
}

/// Tall, wide and rank-deficient: the three paths through the solver.
std::vector<Dataset> shapes() {
  std::vector<Dataset> all;
  all.push_back(simulate({.nodes = 150, .features = 8}, 1).data);
  all.push_back(simulate({.nodes = 60, .features = 90, .density = 0.2}, 2).data);
  testing::Simulated duplicate = simulate({.nodes = 120, .features = 10}, 3);
  for (auto& row : duplicate.x) row[4] = row[9];
  duplicate.data.features.matrix = testing::sparse_from_rows(duplicate.x);
  all.push_back(duplicate.data);
  return all;
}

TEST(LinearLearner, TheDirectMethodIsTheWeightedSumOfTheLoggedOutcomes) {
  for (const Dataset& data : shapes()) {
    const std::size_t n = data.num_nodes();
    const Matrix<double> policies = three_policies(n);
    for (const FitPlan& plan : {cross_fit_plan(data, 4, 3, 1), split_plan(thirds(n))}) {
      for (const LinearModel model : kModels) {
        const Predicted out = predict(data, plan, model);
        for (std::size_t k = 0; k < policies.rows(); ++k) {
          double direct = 0;
          for (const NodeIndex i : plan.scored) {
            direct += policies(k, i) * out.mu1[i] + (1 - policies(k, i)) * out.mu0[i];
          }
          double weighted = 0;
          for (std::size_t j = 0; j < n; ++j) {
            weighted += out.implied_weights(k, j) * data.outcome[j];
          }
          const auto num_scored = static_cast<double>(plan.scored.size());
          EXPECT_NEAR(direct / num_scored, weighted / num_scored, 1e-9) << enum_name(model);
          EXPECT_NEAR(sum(out.implied_weights.row(k)), num_scored, 1e-8 * num_scored);
        }
      }
    }
  }
}

TEST(LinearLearner, ScoresThePlannedNodesAndNoOthers) {
  const Dataset data = simulate({.nodes = 90}, 1).data;
  const FitPlan plan = split_plan(thirds(90));
  for (const LinearModel model : kModels) {
    const Predicted out = predict(data, plan, model);
    for (NodeIndex i = 0; i < 90; ++i) {
      EXPECT_EQ(std::isnan(out.mu0[i]), i % 3 != 0);
      EXPECT_EQ(std::isnan(out.mu1[i]), i % 3 != 0);
      EXPECT_EQ(out.implied_weights(2, i) != 0, i % 3 != 0 && i % 6 != 1);
    }
  }
}

TEST(LinearLearner, IsBitwiseEqualAtAnyNumberOfThreads) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 2, 1);
    for (const LinearModel model : kModels) {
      const Predicted one = predict(data, plan, model, 1);
      for (const int threads : {2, 5}) {
        const Predicted many = predict(data, plan, model, threads);
        EXPECT_TRUE(same_bits(one.mu0, many.mu0));
        EXPECT_TRUE(same_bits(one.mu1, many.mu1));
        EXPECT_TRUE(same_bits(one.implied_weights.values(), many.implied_weights.values()));
        EXPECT_TRUE(same_bits(one.model_variance, many.model_variance));
        EXPECT_EQ(one.chosen_strengths, many.chosen_strengths);
      }
    }
  }
}

TEST(LinearLearner, ImpliesTheSameWeightsFromFactorsThatWereKeptOrMadeAgain) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
    for (const LinearModel model : kModels) {
      const Predicted kept = predict(data, plan, model, 2);
      const Predicted again = predict(data, plan, model, 2, /*kept_bytes=*/0);
      EXPECT_TRUE(same_bits(kept.implied_weights.values(), again.implied_weights.values()));
      EXPECT_EQ(kept.model_variance, again.model_variance);
    }
  }
}

TEST(LinearLearner, IsBitwiseEqualWhateverNumberOfThreadsBlasWouldUse) {
  // Large enough for OpenBLAS to use its own threads, if it were allowed to.
  const Dataset data = simulate({.nodes = 1200, .features = 400, .density = 0.1}, 12).data;
  const FitPlan plan = split_plan(thirds(1200));
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Predicted one = predict(data, plan, LinearModel::kOls1, 1);
  omp_set_num_threads(4);
  const Predicted four = predict(data, plan, LinearModel::kOls1, 1);
  EXPECT_EQ(omp_get_max_threads(), 4) << "the caller's setting is put back";
  omp_set_num_threads(before);
  EXPECT_TRUE(same_bits(one.mu0, four.mu0));
  EXPECT_TRUE(same_bits(one.implied_weights.values(), four.implied_weights.values()));
}

TEST(LinearLearner, ANodesOwnOutcomeAndTreatmentNeverReachItsPrediction) {
  const Dataset data = simulate({.nodes = 120}, 4).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  constexpr NodeIndex kNode = 17;
  Dataset changed = data;
  changed.outcome[kNode] += 1000;
  changed.treatment[kNode] = 1 - changed.treatment[kNode];
  for (const LinearModel model : kModels) {
    const Predicted before = predict(data, plan, model);
    const Predicted after = predict(changed, plan, model);
    EXPECT_EQ(before.mu0[kNode], after.mu0[kNode]);
    EXPECT_EQ(before.mu1[kNode], after.mu1[kNode]);
    EXPECT_FALSE(same_bits(before.mu0, after.mu0)) << "other folds learn from the node";
  }
}

TEST(LinearLearner, ShiftedOutcomesShiftThePredictions) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
    Dataset shifted = data;
    for (double& y : shifted.outcome) y += 25;
    for (const LinearModel model : kModels) {
      const Predicted base = predict(data, plan, model);
      const Predicted moved = predict(shifted, plan, model);
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        EXPECT_NEAR(moved.mu0[i], base.mu0[i] + 25, 1e-8);
        EXPECT_NEAR(moved.mu1[i], base.mu1[i] + 25, 1e-8);
      }
      EXPECT_NEAR(moved.model_variance[2] / base.model_variance[2], 1, 1e-6);
    }
  }
}

TEST(LinearLearner, SwappedArmsSwapThePredictions) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
    const Dataset swapped = testing::with_arms_swapped(data);
    for (const LinearModel model : kModels) {
      const Predicted base = predict(data, plan, model);
      const Predicted other = predict(swapped, plan, model);
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        EXPECT_NEAR(other.mu0[i], base.mu1[i], 1e-8);
        EXPECT_NEAR(other.mu1[i], base.mu0[i], 1e-8);
      }
    }
  }
}

TEST(LinearLearner, TheOrderOfTheFeaturesDoesNotMatter) {
  const testing::Simulated simulated = simulate({.nodes = 150, .features = 12}, 5);
  const FitPlan plan = cross_fit_plan(simulated.data, 4, 3, 1);
  const Dataset reversed = testing::with_columns_reversed(simulated);
  for (const LinearModel model : kModels) {
    const Predicted base = predict(simulated.data, plan, model);
    const Predicted other = predict(reversed, plan, model);
    for (std::size_t i = 0; i < 150; ++i) {
      EXPECT_NEAR(other.mu0[i], base.mu0[i], 1e-9);
      EXPECT_NEAR(other.mu1[i], base.mu1[i], 1e-9);
    }
  }
}

TEST(LinearLearner, OneRegressionAnArmFindsBothResponses) {
  const testing::Simulated simulated = simulate({.nodes = 4000, .features = 4}, 6);
  const FitPlan plan = cross_fit_plan(simulated.data, 5, 3, 1);
  for (const LinearModel model : {LinearModel::kOls2, LinearModel::kRidge}) {
    const Predicted out = predict(simulated.data, plan, model);
    for (std::size_t i = 0; i < 4000; ++i) {
      EXPECT_NEAR(out.mu0[i], testing::expected_outcome(simulated.x[i], 0), 0.25);
      EXPECT_NEAR(out.mu1[i], testing::expected_outcome(simulated.x[i], 1), 0.25);
    }
  }
}

double mean_squared_error(const testing::Simulated& simulated, const Predicted& out) {
  double total = 0;
  for (std::size_t i = 0; i < simulated.x.size(); ++i) {
    total += std::pow(out.mu0[i] - testing::expected_outcome(simulated.x[i], 0), 2) +
             std::pow(out.mu1[i] - testing::expected_outcome(simulated.x[i], 1), 2);
  }
  return total / static_cast<double>(2 * simulated.x.size());
}

/// A table's ridge comes from moments; it must be the regression on the rows.
TEST(LinearLearner, RidgeOfATableIsTheRegressionOnItsRows) {
  Dataset data = simulate({.nodes = 300, .features = 5}, 8).data;
  data.features.matrix =
      store_full_columns_densely(data.features.matrix.to_sparse(), data.features.matrix.cols());
  ASSERT_EQ(data.features.matrix.dense_columns().size(), 5U);
  const FitPlan plan = cross_fit_plan(data, 3, 3, 0);
  const Predicted found = predict(data, plan, LinearModel::kRidge);
  const ScaledFeatures scaled = scale_for_penalty(data.features, FeatureScaling::kUnitVariance);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    for (const Arm arm : {Arm{0}, Arm{1}}) {
      const std::vector<NodeIndex> nodes = nodes_of_arm(data, plan.tasks[t].fit, arm);
      const LinearFit fit =
          fit_ridge(Context({.threads = 1}), scaled.matrix.select_rows(nodes),
                    values_at(data.outcome, nodes), found.chosen_strengths[2 * t + arm]);
      for (const NodeIndex i : plan.tasks[t].score) {
        EXPECT_NEAR((arm == 0 ? found.mu0 : found.mu1)[i], fit.predict(scaled.matrix.row(i)),
                    1e-10);
      }
    }
  }
}

TEST(LinearLearner, RidgeBeatsLeastSquaresWhereFeaturesAreManyAndNoiseIsStrong) {
  const testing::Simulated simulated = simulate({.nodes = 300, .features = 120, .noise = 2}, 7);
  const FitPlan plan = cross_fit_plan(simulated.data, 5, 3, 1);
  EXPECT_LT(mean_squared_error(simulated, predict(simulated.data, plan, LinearModel::kRidge)),
            0.5 * mean_squared_error(simulated, predict(simulated.data, plan, LinearModel::kOls2)));
}

TEST(LinearLearner, RidgeFallsBackToTheMeanOfEachArmWhereFeaturesSayNothing) {
  Dataset data = simulate({.nodes = 200, .features = 30, .treatment_slope = 0}, 8).data;
  for (std::size_t i = 0; i < 200; ++i) {
    data.outcome[i] = 5 * data.treatment[i] + Rng(3, Stream::kTest, i).normal();
  }
  const Predicted out = predict(data, cross_fit_plan(data, 5, 4, 1), LinearModel::kRidge);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(out.mu0[i], 0, 0.6);
    EXPECT_NEAR(out.mu1[i], 5, 0.6);
  }
}

TEST(LinearLearner, WithoutFeaturesEveryModelIsTheMeanOfTheArm) {
  Dataset data = simulate({.nodes = 60}, 13).data;
  data.features.matrix = testing::sparse_from_rows(std::vector<std::vector<double>>(60));
  data.features.names.clear();
  const FitPlan plan = split_plan(thirds(60));
  double total[] = {0, 0};
  double count[] = {0, 0};
  for (const NodeIndex i : plan.tasks[0].fit) {
    total[data.treatment[i]] += data.outcome[i];
    ++count[data.treatment[i]];
  }
  for (const LinearModel model : kModels) {
    const Predicted out = predict(data, plan, model);
    EXPECT_NEAR(out.mu0[0], total[0] / count[0], 1e-12);
    EXPECT_NEAR(out.mu1[0], total[1] / count[1], 1e-12);
  }
}

/// Redraws the noise of the outcomes, all else fixed: the spread of the direct-method value is what
/// model_variance estimates.
TEST(LinearLearner, ModelVarianceIsTheVarianceOverNoise) {
  constexpr int kDraws = 300;
  const testing::Simulated simulated = simulate({.nodes = 150, .features = 6}, 9);
  const std::size_t n = simulated.x.size();
  const Matrix<double> policies = three_policies(n);
  for (const FitPlan& plan : {cross_fit_plan(simulated.data, 5, 3, 1), split_plan(thirds(n))}) {
    for (const LinearModel model : {LinearModel::kOls2, LinearModel::kRidge}) {
      std::vector<double> values;
      double mean_variance = 0;
      Dataset data = simulated.data;
      for (int draw = 0; draw < kDraws; ++draw) {
        Rng rng(100, Stream::kTest, static_cast<std::uint64_t>(draw));
        for (std::size_t i = 0; i < n; ++i) {
          data.outcome[i] =
              testing::expected_outcome(simulated.x[i], data.treatment[i]) + rng.normal();
        }
        const Predicted out = predict(data, plan, model, 1);
        double value = 0;
        for (const NodeIndex i : plan.scored) {
          value += policies(2, i) * out.mu1[i] + (1 - policies(2, i)) * out.mu0[i];
        }
        values.push_back(value / static_cast<double>(plan.scored.size()));
        mean_variance += out.model_variance[2] / kDraws;
      }
      EXPECT_NEAR(mean_variance / variance(values, 1), 1, 0.3) << enum_name(model);
    }
  }
}

TEST(LinearLearner, SaysWhereAnInterpolationLeavesTheVarianceUnknown) {
  const Dataset data = simulate({.nodes = 90, .features = 200}, 10).data;
  const Predicted out = predict(data, split_plan(thirds(90)), LinearModel::kOls2);
  EXPECT_TRUE(std::isnan(out.model_variance[0]));
  EXPECT_TRUE(std::isfinite(out.mu1[0]));
  ASSERT_EQ(out.warnings.size(), 2U);
  EXPECT_NE(out.warnings[0].find("unknown"), std::string::npos);
  const Predicted ridge = predict(data, split_plan(thirds(90)), LinearModel::kRidge);
  EXPECT_TRUE(std::isfinite(ridge.model_variance[0]));
}

TEST(LinearLearner, RefusesAFoldWithoutAnArmAndDataWithoutTreatments) {
  Dataset data = simulate({.nodes = 30}, 11).data;
  const FitPlan plan = split_plan(thirds(30));
  for (const NodeIndex i : plan.tasks[0].fit) data.treatment[i] = 1;
  for (const LinearModel model : kModels) EXPECT_THROW(predict(data, plan, model), Error);
  data.treatment.clear();
  data.outcome.clear();
  EXPECT_THROW(predict(data, plan, LinearModel::kOls1), Error);
}

}  // namespace
}  // namespace cone
