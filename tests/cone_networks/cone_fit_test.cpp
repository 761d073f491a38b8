#include "cone_networks/cone_fit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "cone_networks/small_fit.hpp"
#include "data/split.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

using testing::simulated_network;
using testing::small_options;

PlanOptions plan_of(Protocol protocol) {
  PlanOptions plan;
  plan.protocol = protocol;
  plan.folds = 3;
  return plan;
}

ConeOptions few_epochs(std::uint32_t epochs) {
  ConeOptions options = small_options();
  options.learning_rate = 0.02;
  options.epochs = epochs;
  return options;
}

struct Predictions {
  std::vector<NodeIndex> scored;
  Matrix<double> mu;
  Matrix<double> e;
};

Predictions fit_and_predict(const Context& context, const Dataset& data, const PlanOptions& plan,
                            const ConeOptions& options) {
  const Nuisances nuisances =
      testing::predict(context, data, fit_cone(context, data, plan, options));
  return {make_plan(context, data, plan, context.seed()).scored, nuisances.outcome->mu,
          nuisances.propensity->e};
}

TEST(ConeFit, CrossFittingScoresEveryNodeAndSplittingTheTestNodes) {
  const Context context({.seed = 3, .threads = 2});
  const Dataset data = simulated_network(200);
  const auto crossed = fit_and_predict(context, data, plan_of(Protocol::kCrossFit), few_epochs(3));
  EXPECT_EQ(crossed.scored.size(), 200U);
  const auto split = fit_and_predict(context, data, plan_of(Protocol::kSplit), few_epochs(3));
  EXPECT_EQ(split.scored.size(), 40U);
  for (const Predictions* predictions : {&crossed, &split}) {
    ASSERT_EQ(predictions->mu.rows(), predictions->scored.size());
    ASSERT_EQ(predictions->e.rows(), predictions->scored.size());
    for (const double mu : predictions->mu.values()) EXPECT_TRUE(std::isfinite(mu));
    for (std::size_t k = 0; k < predictions->e.rows(); ++k) {
      EXPECT_GT(predictions->e(k, 0), 0);
      EXPECT_GT(predictions->e(k, 1), 0);
      EXPECT_EQ(predictions->e(k, 0) + predictions->e(k, 1), 1);
    }
  }
}

TEST(ConeFit, NoTreatmentOrOutcomeLeaksIntoThePredictionsOfItsNode) {
  const Context context({.seed = 3, .threads = 2});
  const Dataset data = simulated_network(200);
  const PlanOptions plan = plan_of(Protocol::kSplit);
  const auto before = fit_and_predict(context, data, plan, few_epochs(10));
  Dataset other = data;
  for (const NodeIndex i : before.scored) {
    other.treatment[i] = 1 - other.treatment[i];
    other.outcome[i] += 100;
  }
  const auto after = fit_and_predict(context, other, plan, few_epochs(10));
  ASSERT_EQ(before.scored, after.scored);
  EXPECT_TRUE(std::ranges::equal(before.mu.values(), after.mu.values()));
  EXPECT_TRUE(std::ranges::equal(before.e.values(), after.e.values()));
}

TEST(ConeFit, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = simulated_network(150);
  std::vector<Predictions> runs;
  for (const int threads : {1, 2, 3, 7}) {  // three folds: in parallel from 3 on
    runs.push_back(fit_and_predict(Context({.seed = 1, .threads = threads}), data,
                                   plan_of(Protocol::kCrossFit), few_epochs(10)));
  }
  for (const Predictions& run : runs) {
    EXPECT_TRUE(std::ranges::equal(run.mu.values(), runs[0].mu.values()));
    EXPECT_TRUE(std::ranges::equal(run.e.values(), runs[0].e.values()));
  }
}

// z^t learns to separate the arms of the training nodes, by overfitting where treatment is random:
// a propensity model fitted there would be over-confident everywhere.
TEST(ConeFit, PropensitiesOfARandomisedExperimentStayNearTheShareOfTreatedNodes) {
  Dataset data = simulated_network(600);
  for (NodeIndex i = 0; i < data.num_nodes(); ++i) {
    data.treatment[i] = Rng(8, Stream::kTest, i).bernoulli(0.5) ? 1 : 0;
  }
  ConeOptions options = few_epochs(150);
  options.patience = 150;
  const auto predictions = fit_and_predict(Context({.seed = 2, .threads = 2}), data,
                                           plan_of(Protocol::kCrossFit), options);
  double loss = 0;
  int num_sure = 0;
  for (NodeIndex i = 0; i < data.num_nodes(); ++i) {
    const double p = predictions.e(i, 1);
    num_sure += p < 0.25 || p > 0.75 ? 1 : 0;
    loss -= std::log(data.treatment[i] == 1 ? p : 1 - p) / 600;
  }
  EXPECT_LT(num_sure, 30);
  EXPECT_LT(loss, std::log(2.0) + 0.02);
}

TEST(ConeFit, ItsOutcomeNetworksExplainOutcomesThatDependOnNeighbours) {
  const Context context({.seed = 1, .threads = 2});
  const Dataset data = simulated_network(600);
  const auto predictions =
      fit_and_predict(context, data, plan_of(Protocol::kCrossFit), few_epochs(200));
  double squares = 0;
  for (NodeIndex i = 0; i < data.num_nodes(); ++i) {
    const double predicted = predictions.mu(i, data.treatment[i]);
    squares += std::pow(predicted - data.outcome[i], 2) / 600;
  }
  EXPECT_LT(squares, 0.6 * variance(data.outcome, 0));
}

class StopLater : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t done, std::uint64_t total) override {
    return done < total / 1000 || total == 0;
  }
};

TEST(ConeFit, CanBeCancelledWhetherFoldsRunInParallelOrNot) {
  const Dataset data = simulated_network(200);
  ConeOptions options = few_epochs(100000);
  options.patience = 100000;  // early stopping may end the run before the observer is asked again
  for (const int threads : {1, 3}) {
    StopLater observer;
    EXPECT_THROW(fit_cone(Context({.seed = 1, .threads = threads, .progress = &observer}), data,
                          plan_of(Protocol::kCrossFit), options),
                 Cancelled);
  }
}

TEST(ConeFit, DifferentDataIsRefused) {
  const Context context({.seed = 3, .threads = 2});
  Dataset data = simulated_network(100);
  const ConeFit fit = fit_cone(context, data, plan_of(Protocol::kSplit), few_epochs(2));
  data.outcome[7] += 1;
  EXPECT_THROW(redraw_plan_checked(context, data, fit), Error);
}

TEST(ConeFit, AlmostNoTreatedNodesStillGiveAPropensity) {
  Dataset data = simulated_network(100);
  std::fill(data.treatment.begin(), data.treatment.end(), 0);
  PlanOptions plan = plan_of(Protocol::kSplit);
  const Split split = make_split(data, plan.split, 3);
  data.treatment[split.train[0]] = 1;
  data.treatment[split.train[1]] = 1;
  const auto predictions =
      fit_and_predict(Context({.seed = 3, .threads = 1}), data, plan, few_epochs(2));
  for (std::size_t k = 0; k < predictions.e.rows(); ++k) {
    EXPECT_NEAR(predictions.e(k, 1), 1.0 / 22, 1e-9);
  }
}

TEST(ConeFit, RepresentationsAreThoseOfTheFoldThatScoresTheNode) {
  const Context context({.seed = 3, .threads = 2});
  const Dataset data = simulated_network(120);
  const PlanOptions options = plan_of(Protocol::kCrossFit);
  const ConeFit fit = fit_cone(context, data, options, few_epochs(2));
  const FitPlan plan = make_plan(context, data, options, context.seed());
  ASSERT_EQ(fit.z.rows(), 120U);
  ASSERT_EQ(fit.z.cols(), 16U);
  const ConeInput input(data);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const Matrix<float> z = encode_with(context, input, fit.options, fit.folds[t].encoder);
    for (const NodeIndex i : plan.tasks[t].score) {
      EXPECT_TRUE(std::ranges::equal(fit.z.row(i), z.row(i)));
    }
  }
}

/// The treated nodes, split at random into arms of about equal size.
Dataset with_treated_split(Dataset data, std::size_t num_parts) {
  for (std::size_t a = 2; a <= num_parts; ++a) data.arms.push_back(std::to_string(a));
  for (NodeIndex i = 0; i < data.num_nodes(); ++i) {
    if (data.treatment[i] == 0) continue;
    data.treatment[i] = static_cast<Arm>(1 + Rng(4, Stream::kTest, i).below(num_parts));
  }
  return data;
}

TEST(ConeFit, AnyNumberOfArmsHasANetworkAndAProbabilityEach) {
  const Context context({.seed = 3, .threads = 2});
  const Dataset data = with_treated_split(simulated_network(300), 3);
  const ConeFit fit = fit_cone(context, data, plan_of(Protocol::kCrossFit), few_epochs(3));
  EXPECT_EQ(fit.arms, (std::vector<std::string>{"0", "1", "2", "3"}));
  for (const ConeFold& fold : fit.folds) {
    EXPECT_EQ(fold.outcomes.size(), 4U);
    EXPECT_EQ(fold.propensity.num_labels(), 4U);
  }
  const Nuisances nuisances = testing::predict(context, data, fit);
  ASSERT_EQ(nuisances.outcome->mu.cols(), 4U);
  for (std::size_t k = 0; k < 300; ++k) {
    double total = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      EXPECT_TRUE(std::isfinite(nuisances.outcome->mu(k, a)));
      EXPECT_GT(nuisances.propensity->unbounded(k, a), 0);
      total += nuisances.propensity->unbounded(k, a);
    }
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

TEST(ConeFit, SplittingAnArmAtRandomChangesPredictionsOnlyByNoise) {
  const Context context({.seed = 3, .threads = 2});
  const Dataset whole = simulated_network(900);
  const Dataset split = with_treated_split(whole, 2);
  const PlanOptions plan = plan_of(Protocol::kCrossFit);
  const auto before = fit_and_predict(context, whole, plan, few_epochs(100));
  const auto after = fit_and_predict(context, split, plan, few_epochs(100));
  const double sd = std::sqrt(variance(whole.outcome, 0));
  double mu_whole = 0;
  double mu_parts[2] = {0, 0};
  double e_difference = 0;
  for (std::size_t k = 0; k < 900; ++k) {
    mu_whole += before.mu(k, 1) / 900;
    for (const std::size_t part : {0, 1}) mu_parts[part] += after.mu(k, 1 + part) / 900;
    e_difference += std::abs(before.e(k, 1) - after.e(k, 1) - after.e(k, 2)) / 900;
  }
  EXPECT_NEAR(mu_parts[0], mu_whole, 0.3 * sd);
  EXPECT_NEAR(mu_parts[1], mu_whole, 0.3 * sd);
  EXPECT_LT(e_difference, 0.1);
}

TEST(ConeFit, RefusesDataWithoutOutcomesAndBadOptions) {
  Dataset data = simulated_network(100);
  ConeOptions options = small_options();
  options.heads = 0;
  options.learning_rate = -1;
  const PlanOptions plan = plan_of(Protocol::kSplit);
  try {
    fit_cone(Context({.seed = 1, .threads = 1}), data, plan, options);
    FAIL() << "bad options were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.faults().size(), 2);
  }
  data.treatment.clear();
  data.outcome.clear();
  EXPECT_THROW(fit_cone(Context({.seed = 1, .threads = 1}), data, plan, small_options()), Error);
}

}  // namespace
}  // namespace cone
