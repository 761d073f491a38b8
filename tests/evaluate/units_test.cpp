// Survey weights through a complete evaluation, including fits.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "nuisance/balancer.hpp"
#include "support/small_network.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

EvaluateOptions every_fitted_row() {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.outcome != LearnerId::kGiven) options.estimators.emplace_back(row.name);
  }
  options.cone = testing::small_options();
  options.cone.epochs = 10;
  return options;
}

EvaluationRecord evaluate_world(const SmallWorld& world, const EvaluateOptions& options) {
  return evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
}

std::vector<double> draw_weights(std::size_t n, std::uint64_t item) {
  Rng rng(29, Stream::kTest, item);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(0.2 + 3 * rng.uniform());
  return out;
}

void expect_same(const EvaluationRecord& a, const EvaluationRecord& b, double tolerance) {
  const auto near = [&](double x, double y, const std::string& what) {
    if (std::isnan(x) && std::isnan(y)) return;
    EXPECT_NEAR(x, y, tolerance) << what;
  };
  ASSERT_EQ(a.policies.size(), b.policies.size());
  for (std::size_t p = 0; p < a.policies.size(); ++p) {
    for (std::size_t k = 0; k < a.policies[p].estimates.size(); ++k) {
      const Estimate& one = a.policies[p].estimates[k];
      const Estimate& two = b.policies[p].estimates[k];
      near(one.value, two.value, one.estimator);
      near(one.standard_error, two.standard_error, one.estimator + " error");
      near(one.population_standard_error, two.population_standard_error, one.estimator + " pop");
      near(one.sensitivity_interval.first, two.sensitivity_interval.first,
           one.estimator + " sensitivity");
      EXPECT_EQ(one.warnings.size(), two.warnings.size()) << one.estimator;
    }
  }
  ASSERT_TRUE(a.decision && b.decision);
  for (std::size_t p = 0; p < a.decision->policies.size(); ++p) {
    near(a.decision->policies[p].value, b.decision->policies[p].value, "decision");
    near(a.decision->policies[p].gain, b.decision->policies[p].gain, "gain");
  }
}

TEST(Weights, EqualOnesChangeNoBit) {
  SmallWorld world = small_world(160, 0.7, 1.0, 1);
  const EvaluateOptions options = every_fitted_row();
  const EvaluationRecord without = evaluate_world(world, options);
  world.data.observed.weight.assign(160, 0.3);
  const EvaluationRecord with = evaluate_world(world, options);
  expect_same(without, with, 0);
  EXPECT_NE(without.data.checksum, with.data.checksum);
}

TEST(Weights, SharesOfArmsStayWithinZeroAndOneInSpiteOfRounding) {
  const std::size_t num_nodes = 60;
  SmallWorld world = small_world(num_nodes, 0.7, 1.0, 2);
  Matrix<double>& probability = world.policies.front().probability;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    probability(i, 0) = 0;
    probability(i, 1) = 1;
  }
  EvaluateOptions options;
  options.estimators = {"naive"};
  for (std::uint64_t item = 0; item < 30; ++item) {
    world.data.observed.weight = draw_weights(num_nodes, item);
    const EvaluationRecord record = evaluate_world(world, options);
    EXPECT_LE(record.policies.front().treated_fraction, 1);
    EXPECT_GE(record.policies.front().arm_fractions[0], 0);
  }
}

TEST(Weights, OnlyTheirRatiosMatter) {
  SmallWorld world = small_world(160, 0.7, 1.0, 2);
  EvaluateOptions options;
  options.estimators = {"naive",     "snips", "dm_ols1",    "dm_ridge",  "dr_ridge",
                        "switch_dr", "okb",   "network_dm", "network_dr"};
  const EvaluationRecord plain = evaluate_world(world, options);
  world.data.observed.weight = draw_weights(160, 2);
  const EvaluationRecord once = evaluate_world(world, options);
  for (double& w : world.data.observed.weight) w *= 7;
  expect_same(once, evaluate_world(world, options), 1e-9);
  for (std::size_t k = 0; k < options.estimators.size(); ++k) {
    EXPECT_GT(std::abs(once.policies[0].estimates[k].value - plain.policies[0].estimates[k].value),
              1e-4)
        << options.estimators[k];
    EXPECT_TRUE(std::isfinite(once.policies[0].estimates[k].standard_error));
  }
}

TEST(Weights, TheLoggedPolicyTruthAndSharesAreWeighted) {
  SmallWorld world = small_world(120, 0.7, 1.0, 3);
  Dataset& data = world.data.observed;
  data.weight = draw_weights(120, 3);
  EvaluateOptions options;
  options.estimators = {"naive", "dr_ridge"};
  const EvaluationRecord record = evaluate_world(world, options);
  double total = 0;
  double outcome = 0;
  double truth = 0;
  double treated = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    const double p = world.policies[0].probability(i, 1);
    const MatrixView<const double> y = world.data.truth->outcomes();
    total += data.weight[i];
    outcome += data.weight[i] * data.outcome[i];
    truth += data.weight[i] * ((1 - p) * y(i, 0) + p * y(i, 1));
    treated += data.weight[i] * p;
  }
  EXPECT_NEAR(record.decision->policies[0].value, outcome / total, 1e-12);
  EXPECT_NEAR(*record.policies[0].truth, truth / total, 1e-12);
  EXPECT_NEAR(record.policies[0].treated_fraction, treated / total, 1e-12);
  EXPECT_TRUE(record.decision->is_weighted);
  double squares = 0;
  for (const double w : data.weight) squares += w * w;
  EXPECT_NEAR(record.data.effective_sample_size.value(), total * total / squares, 1e-9);
}

TEST(Weights, ValuesOfLinearModelsAreWeightedOutcomes) {
  // The implied weights must be those of the weighted mean, whatever the regression.
  for (const char* name : {"dm_ols1", "dm_ols2", "dm_ridge", "network_dm"}) {
    SmallWorld world = small_world(150, 0.7, 1.0, 4);
    world.data.observed.weight = draw_weights(150, 4);
    EvaluateOptions options;
    options.estimators = {name};
    options.sensitivity_interval = false;
    NodeTable nodes;
    const EvaluationRecord record = evaluate(Context({.seed = 3, .threads = 2}), world.data,
                                             world.policies, options, nullptr, &nodes);
    double value = 0;
    double weights = 0;
    for (std::size_t i = 0; i < 150; ++i) {
      value += nodes.weight(i, 0) * world.data.observed.outcome[i] / 150;
      weights += nodes.weight(i, 0) / 150;
    }
    EXPECT_NEAR(value, record.policies[0].estimates[0].value, 1e-8) << name;
    EXPECT_NEAR(weights, 1, 1e-8) << name;
    ASSERT_EQ(nodes.units.size(), 150U);
    EXPECT_NEAR(mean(nodes.units), 1, 1e-12);
  }
}

TEST(Weights, KernelBalancingTargetsTheWeightedSample) {
  // Weights follow x0, so that the weighted mean of x0 is far from the plain one.
  SmallWorld world = small_world(200, 0.5, 1.0, 5);
  Dataset& data = world.data.observed;
  for (std::size_t i = 0; i < 200; ++i) {
    data.weight.push_back(std::exp(0.8 * data.features.matrix.row(i).at(0)));
    data.outcome[i] = data.features.matrix.row(i).at(0);
  }
  EvaluateOptions options;
  options.estimators = {"okb"};
  std::vector<NodeIndex> nodes(200);
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const LoggedSample sample = take_sample(data, nodes);
  const double target = mean_over_units(sample, sample.outcome);
  const double found = evaluate_world(world, options).policies[0].estimates[0].value;
  data.weight.clear();
  const double unweighted = evaluate_world(world, options).policies[0].estimates[0].value;
  EXPECT_GT(target, 0.5);
  EXPECT_NEAR(found, target, 0.3 * std::abs(target - unweighted));
  EXPECT_NEAR(unweighted, mean(data.outcome), 0.15);

  data.weight = draw_weights(200, 5);
  for (double& y : data.outcome) y = 4;
  EXPECT_NEAR(evaluate_world(world, options).policies[0].estimates[0].value, 4, 1e-9);
}

TEST(Weights, KernelBalancingWeightsFoldsByTheirUnits) {
  // Representations are compared fold by fold. A fold may stand for more units than another.
  SmallWorld world = small_world(60, 0.5, 1.0, 9);
  Dataset& data = world.data.observed;
  for (std::size_t i = 0; i < 60; ++i) data.weight.push_back(i < 20 ? 5 : 1);
  std::vector<NodeIndex> nodes(60);
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const LoggedSample sample = take_sample(data, nodes);
  Matrix<float> z(60, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    z(i, 0) = static_cast<float>(data.features.matrix.row(i).at(0));
  }
  std::vector<std::vector<std::size_t>> groups(2);
  for (std::size_t i = 0; i < 60; ++i) groups[i < 20 ? 0 : 1].push_back(i);
  KernelBalancingOptions kernel;
  kernel.kernel_normalised = true;
  const KernelBalancer balancer =
      balance_representations(Context(), sample, std::as_const(z).view(), groups, kernel);
  Matrix<double> policy = world.policies[0].probability;
  weigh_rows(sample, policy);
  const BalancedValue found = balancer.value(Context(), std::as_const(policy).view());
  double first = 0;
  for (std::size_t i = 0; i < 20; ++i) first += found.weights[i];
  EXPECT_NEAR(first, 60 * 100.0 / 140, 1e-9);
  EXPECT_NEAR(sum(found.weights), 60, 1e-9);
  EXPECT_NEAR(mean(found.influence), 0, 1e-9);
}

TEST(Weights, CorrectForSelectiveNonResponse) {
  // Effects are 1 + x0, and units of large x0 rarely respond. Weights are the inverse response
  // probabilities.
  SmallWorld all = small_world(3000, 0.0, 1.0, 6);
  const Dataset& units = all.data.observed;
  Rng rng(31, Stream::kTest, 6);
  DatasetArrays arrays;
  std::vector<double> treatment;
  std::vector<double> outcome;
  std::vector<double> weight;
  std::vector<double> x;
  double truth = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const double own = units.features.matrix.row(i).at(0);
    truth += (1 + own) / 3000;
    const double response = sigmoid(-0.8 - 1.2 * own);
    if (!rng.bernoulli(response)) continue;
    const bool treated = units.treatment[i] == 1;
    treatment.push_back(treated ? 1 : 0);
    outcome.push_back((treated ? 1 + own : 0) + 0.5 * rng.normal());
    weight.push_back(1 / response);
    x.push_back(own);
  }
  Matrix<double> features(x.size(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) features(i, 0) = x[i];
  arrays.treatment_numbers = treatment;
  arrays.outcome = outcome;
  arrays.weight = weight;
  arrays.numeric_features = std::as_const(features).view();
  EvaluateOptions options;
  options.estimators = {"naive", "snips", "dm_ols2", "dr_ridge"};
  options.estimator.target = Target::kPopulation;
  options.estimator.dependence = Dependence::kIndependent;
  const auto value_all = [&](const LoadedData& data) {
    const std::vector<PolicyOnData> policies = {
        {"all", two_arm_probabilities(std::vector<double>(x.size(), 1.0))}};
    return evaluate(Context({.seed = 3, .threads = 2}), data, policies, options)
        .policies[0]
        .estimates;
  };
  LoadedData data = make_dataset(Context(), arrays);
  const std::vector<Estimate> weighted = value_all(data);
  data.observed.weight.clear();
  const std::vector<Estimate> plain = value_all(data);
  for (std::size_t k = 0; k < weighted.size(); ++k) {
    EXPECT_LT(std::abs(weighted[k].value - truth), 3.5 * weighted[k].standard_error)
        << weighted[k].estimator;
    EXPECT_GT(std::abs(plain[k].value - truth), 6 * plain[k].standard_error) << plain[k].estimator;
  }
}

TEST(Weights, OfAllEvaluatedNodesMustNotBeZero) {
  SmallWorld world = small_world(100, 0.5, 1.0, 7);
  world.data.observed.weight.assign(100, 0.0);
  EvaluateOptions options;
  options.estimators = {"naive"};
  EXPECT_THROW(evaluate_world(world, options), Error);
}

TEST(Weights, ResultsAreEqualAtAnyNumberOfThreads) {
  SmallWorld world = small_world(160, 0.7, 1.0, 8);
  world.data.observed.weight = draw_weights(160, 8);
  EvaluateOptions options;
  options.estimators = {"dm_ridge", "dr_ridge", "okb", "network_dm"};
  const EvaluationRecord one =
      evaluate(Context({.seed = 3, .threads = 1}), world.data, world.policies, options);
  const EvaluationRecord three =
      evaluate(Context({.seed = 3, .threads = 3}), world.data, world.policies, options);
  expect_same(one, three, 0);
}

}  // namespace
}  // namespace cone
