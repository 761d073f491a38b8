#include "cone/learn_policy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "policy_tree/brute_force.hpp"
#include "policy_tree/nested_plan.hpp"
#include "support/arms_world.hpp"
#include "support/small_world.hpp"

namespace cone::testing {
namespace {

LearnPolicyOptions quick_options(std::uint32_t depth = 2) {
  LearnPolicyOptions options;
  options.tree.depth = depth;
  options.outcome_model = RuleOutcomeModel::kRidge;
  return options;
}

/// Randomised treatment on a ring. Its effect is `effect` where x1 > 0.3 and −`effect` elsewhere;
/// x0 affects the outcome under both arms.
Dataset rule_world(std::size_t n, double effect, std::uint64_t item, std::size_t num_features = 3) {
  Rng rng(41, Stream::kTest, item);
  Dataset data;
  data.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  Matrix<double> x(n, num_features);
  data.propensity = Matrix<double>(n, 2, 0.5);
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % n)});
    for (std::size_t c = 0; c < num_features; ++c) x(i, c) = rng.normal();
    const bool treated = rng.bernoulli(0.5);
    const double gain = x(i, 1) > 0.3 ? effect : -effect;
    data.treatment.push_back(treated ? 1 : 0);
    data.outcome.push_back(x(i, 0) + (treated ? gain : 0) + rng.normal());
  }
  data.graph = build_graph(Context({.threads = 1}), n, edges);
  data.features.matrix = FeatureMatrix(std::move(x));
  for (std::size_t c = 0; c < num_features; ++c) {
    data.features.names.push_back("x" + std::to_string(c));
  }
  data.features.num_dense = num_features;
  return data;
}

TEST(LearnPolicy, RecoversAKnownRuleAndItsValue) {
  const Dataset data = rule_world(2000, 1, 1);
  const LearntPolicy learnt =
      learn_policy(Context({.seed = 1, .threads = 2}), data, quick_options(1));
  ASSERT_EQ(learnt.tree.nodes.size(), 3U);
  EXPECT_EQ(learnt.columns[static_cast<std::size_t>(learnt.tree.nodes[0].column)], "x1");
  EXPECT_NEAR(learnt.tree.nodes[0].threshold, 0.3, 0.1);
  EXPECT_EQ(learnt.tree.nodes[1].arm, 0);
  EXPECT_EQ(learnt.tree.nodes[2].arm, 1);
  // The effect is 1 where x1 > 0.3; other units are not treated.
  double truth = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    truth += (data.features.matrix.row(i).at(1) > 0.3 ? 1.0 : 0.0) / 2000;
  }
  EXPECT_NEAR(learnt.rule.value, truth, 4 * learnt.rule.standard_error);
  EXPECT_EQ(learnt.verdict, RuleVerdict::kBetter);
  ASSERT_EQ(learnt.singles.size(), 2U);
  EXPECT_NEAR(learnt.singles[1].gain, learnt.rule.value - learnt.singles[1].value, 1e-12);
  EXPECT_NEAR(learnt.logged.value, mean(data.outcome), 1e-12);
  EXPECT_GT(learnt.logged.sampling_gain_interval.first, 0);
}

TEST(LearnPolicy, NegatingOutcomesAndDirectionGivesTheSameRule) {
  Dataset data = rule_world(500, 1, 8);
  data.propensity.reset();
  LearnPolicyOptions options = quick_options();
  options.outcome_model = RuleOutcomeModel::kNetworkRidge;
  options.tree.budget = 0.3;
  options.cost = {"1=0.1"};
  const LearntPolicy higher = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  for (double& y : data.outcome) y = -y;
  options.direction.lower_is_better = true;
  const LearntPolicy lower = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  ASSERT_EQ(lower.tree.nodes.size(), higher.tree.nodes.size());
  for (std::size_t k = 0; k < lower.tree.nodes.size(); ++k) {
    EXPECT_EQ(lower.tree.nodes[k].column, higher.tree.nodes[k].column);
    EXPECT_EQ(lower.tree.nodes[k].threshold, higher.tree.nodes[k].threshold);
    EXPECT_EQ(lower.tree.nodes[k].arm, higher.tree.nodes[k].arm);
  }
  EXPECT_EQ(lower.arm, higher.arm);
  EXPECT_EQ(lower.out_of_fold_arm, higher.out_of_fold_arm);
  EXPECT_EQ(lower.price, higher.price);
  EXPECT_EQ(lower.verdict, higher.verdict);
  EXPECT_EQ(lower.in_sample_value, -higher.in_sample_value);
  EXPECT_EQ(lower.logged.value, -higher.logged.value);
  ASSERT_EQ(lower.singles.size(), higher.singles.size());
  for (std::size_t a = 0; a < lower.singles.size(); ++a) {
    EXPECT_EQ(lower.singles[a].gain, -higher.singles[a].gain);
    EXPECT_EQ(lower.singles[a].sampling_gain_interval.first,
              -higher.singles[a].sampling_gain_interval.second);
  }
}

TEST(LearnPolicy, LowersTheOutcomeWhereLowerIsBetter) {
  const Dataset data = rule_world(2000, 1, 1);
  LearnPolicyOptions options = quick_options(1);
  options.direction.lower_is_better = true;
  const LearntPolicy learnt = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  ASSERT_EQ(learnt.tree.nodes.size(), 3U);
  EXPECT_EQ(learnt.tree.nodes[1].arm, 1) << "the effect is -1 where x1 <= 0.3";
  EXPECT_EQ(learnt.tree.nodes[2].arm, 0);
  EXPECT_EQ(learnt.verdict, RuleVerdict::kBetter);
  EXPECT_LT(learnt.logged.sampling_gain_interval.second, 0) << "on the scale of the outcome";
}

TEST(LearnPolicy, WeightsDecideWhatIsBestForTheUnits) {
  // The effect is positive where x1 > 0.3 and negative elsewhere. Units with a positive effect have
  // weight ten: then treating all is better than treating none, unlike without weights.
  Dataset data = rule_world(600, 1, 5);
  const LearntPolicy plain =
      learn_policy(Context({.seed = 1, .threads = 2}), data, quick_options(1));
  EXPECT_LT(plain.singles[1].value, plain.singles[0].value);
  double total = 0;
  double gain = 0;
  double logged = 0;
  double treated = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    const bool gains = data.features.matrix.row(i).at(1) > 0.3;
    data.weight.push_back(gains ? 10 : 1);
    total += data.weight[i];
    gain += data.weight[i] * (gains ? 1 : -1);
    logged += data.weight[i] * data.outcome[i];
  }
  const LearntPolicy learnt =
      learn_policy(Context({.seed = 1, .threads = 2}), data, quick_options(1));
  for (std::size_t i = 0; i < 600; ++i) treated += learnt.arm[i] == 1 ? data.weight[i] : 0;
  EXPECT_GT(learnt.singles[1].value, learnt.singles[0].value);
  const RuleValue& none = learnt.singles[0];
  EXPECT_NEAR(learnt.singles[1].value - none.value, gain / total, 4 * none.gain_error);
  EXPECT_NEAR(learnt.logged.value, logged / total, 1e-12);
  EXPECT_NEAR(learnt.treated_fraction, treated / total, 1e-12);
  EXPECT_EQ(learnt.columns[static_cast<std::size_t>(learnt.tree.nodes[0].column)], "x1");

  for (double& w : data.weight) w *= 7;
  EXPECT_NEAR(
      learn_policy(Context({.seed = 1, .threads = 2}), data, quick_options(1)).rule.standard_error,
      learnt.rule.standard_error, 1e-9);
  data.weight.assign(600, 3);
  const LearntPolicy equal =
      learn_policy(Context({.seed = 1, .threads = 2}), data, quick_options(1));
  EXPECT_EQ(equal.rule.value, plain.rule.value);
  EXPECT_EQ(equal.rule.standard_error, plain.rule.standard_error);
}

TEST(LearnPolicy, ABudgetIsRefusedWithSurveyWeights) {
  Dataset data = rule_world(300, 1, 6);
  data.weight.assign(300, 1);
  LearnPolicyOptions options = quick_options(1);
  options.tree.budget = 0.5;
  EXPECT_THROW(learn_policy(Context({.seed = 1, .threads = 2}), data, options), Error);
}

TEST(LearnPolicy, FindsSplitsOnNeighbourMeans) {
  Dataset data = rule_world(800, 0, 2);
  for (std::size_t i = 0; i < 800; ++i) {
    const auto at = [&](std::size_t j) { return data.features.matrix.row(j % 800).at(2); };
    const double neighbours = (at(i + 1) + at(i + 799)) / 2;
    if (data.treatment[i] == 1) data.outcome[i] += neighbours > 0 ? 2 : -2;
  }
  const LearntPolicy learnt = learn_policy(Context({.threads = 2}), data, quick_options(1));
  ASSERT_FALSE(learnt.tree.nodes[0].is_leaf());
  EXPECT_EQ(learnt.columns[static_cast<std::size_t>(learnt.tree.nodes[0].column)],
            "neighbours' mean x2");
  LearnPolicyOptions own = quick_options(1);
  own.split_on = {"own", "degree"};
  const LearntPolicy without = learn_policy(Context({.threads = 2}), data, own);
  EXPECT_EQ(without.num_candidates, 4U);
  EXPECT_LT(without.rule.value, learnt.rule.value - 0.5);
}

TEST(LearnPolicy, TheTreeOfAFoldDoesNotUseItsOutcomes) {
  for (const auto model : {RuleOutcomeModel::kRidge, RuleOutcomeModel::kNetworkRidge}) {
    LearnPolicyOptions options = quick_options();
    options.outcome_model = model;
    const Dataset data = rule_world(240, 0.5, 3);
    const Context context({.seed = 7, .threads = 2});
    const FitPlan plan = make_plan(context, data, {}, 7);
    const LearntPolicy before = learn_policy(context, data, options);
    const std::size_t held_out = 2;
    Dataset changed = data;
    for (const NodeIndex i : plan.tasks[held_out].score) {
      changed.outcome[i] = 5 * (data.treatment[i] == 1 ? -1.0 : 1.0) * data.outcome[i];
    }
    const LearntPolicy after = learn_policy(context, changed, options);
    EXPECT_TRUE(same_tree(before.folds[held_out].tree, after.folds[held_out].tree));
    EXPECT_EQ(before.folds[held_out].columns, after.folds[held_out].columns);
    for (const NodeIndex i : plan.tasks[held_out].score) {
      EXPECT_EQ(before.out_of_fold_arm[i], after.out_of_fold_arm[i]);
    }
    EXPECT_FALSE(same_tree(before.tree, after.tree));
  }
}

TEST(LearnPolicy, NestedPlansHoldOutAFoldAndScoreTheOthers) {
  const Dataset data = rule_world(100, 0, 4);
  const Context context({.seed = 3, .threads = 1});
  const FitPlan plan = make_plan(context, data, {}, 3);
  const FitPlan nested = leave_fold_out(context, data, plan, 1, 3, 3);
  require_valid(nested, 100);
  EXPECT_EQ(nested.tasks.size(), 4U);
  EXPECT_EQ(nested.scored.size(), 100 - plan.tasks[1].score.size());
  std::vector<char> held_out(100, 0);
  for (const NodeIndex i : plan.tasks[1].score) held_out[i] = 1;
  for (const FitTask& task : nested.tasks) {
    for (const NodeIndex i : task.fit) EXPECT_EQ(held_out[i], 0);
    for (const SelectionSplit& split : task.selection) {
      for (const NodeIndex i : split.fit) EXPECT_EQ(held_out[i], 0);
      for (const NodeIndex i : split.score) EXPECT_EQ(held_out[i], 0);
    }
    EXPECT_EQ(task.fit.size() + task.score.size() + plan.tasks[1].score.size(), 100U);
  }
}

TEST(LearnPolicy, OnPureNoiseOnlyTheInSampleGainIsLarge) {
  std::vector<double> valid;
  std::vector<double> in_sample;
  LearnPolicyOptions options = quick_options();
  options.propensities = PropensitySource::kGiven;
  for (std::uint64_t item = 0; item < 60; ++item) {
    const Dataset data = rule_world(150, 0, 1000 + item, 12);
    const LearntPolicy learnt = learn_policy(Context({.seed = item, .threads = 2}), data, options);
    valid.push_back(learnt.best_single.gain);
    in_sample.push_back(learnt.in_sample_value -
                        std::max(learnt.singles[0].value, learnt.singles[1].value));
  }
  EXPECT_LT(std::abs(mean(valid)), 3 * standard_error(valid)) << mean(valid);
  EXPECT_LT(standard_error(valid), 0.05);
  EXPECT_GT(mean(in_sample), 0.2);
}

TEST(LearnPolicy, IsTheSameAtAnyNumberOfThreads) {
  const Dataset data = rule_world(200, 0.7, 5);
  LearnPolicyOptions options = quick_options();
  options.tree.budget = 0.4;
  const LearntPolicy one = learn_policy(Context({.threads = 1}), data, options);
  for (const int threads : {2, 5}) {
    const LearntPolicy many = learn_policy(Context({.threads = threads}), data, options);
    EXPECT_TRUE(same_tree(one.tree, many.tree));
    EXPECT_EQ(one.out_of_fold_arm, many.out_of_fold_arm);
    EXPECT_EQ(one.rule.value, many.rule.value);
    EXPECT_EQ(one.best_single.gain_error, many.best_single.gain_error);
    EXPECT_EQ(one.in_sample_value, many.in_sample_value);
  }
}

TEST(LearnPolicy, TheOrderOfTheNodesChangesNothing) {
  const Dataset data = rule_world(200, 0.7, 6);
  Rng rng(2, Stream::kTest, 0);
  const std::vector<std::uint32_t> order = rng.permutation(200);
  Dataset moved;
  std::vector<NodeIndex> new_index(200);
  for (std::size_t k = 0; k < 200; ++k) new_index[order[k]] = static_cast<NodeIndex>(k);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < 200; ++i) edges.push_back({new_index[i], new_index[(i + 1) % 200]});
  for (const std::uint32_t i : order) {
    moved.ids.insert(data.ids[i]);
    moved.treatment.push_back(data.treatment[i]);
    moved.outcome.push_back(data.outcome[i]);
  }
  moved.graph = build_graph(Context({.threads = 1}), 200, edges);
  moved.features = data.features;
  moved.features.matrix = data.features.matrix.select_rows(order);
  const LearntPolicy one = learn_policy(Context({.threads = 1}), data, quick_options());
  const LearntPolicy other = learn_policy(Context({.threads = 1}), moved, quick_options());
  EXPECT_TRUE(same_tree(one.tree, other.tree));
  EXPECT_NEAR(one.rule.value, other.rule.value, 1e-9);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_EQ(other.out_of_fold_arm[k], one.out_of_fold_arm[order[k]]);
  }
}

TEST(LearnPolicy, RelabelledArmsGetTheSameUnitsEndToEnd) {
  const SmallWorld world = arms_world(300, 3, 8);
  const std::vector<Arm> order = {2, 0, 1};
  const SmallWorld moved = with_arms_relabelled(world, order);
  const LearntPolicy one =
      learn_policy(Context({.threads = 2}), world.data.observed, quick_options());
  const LearntPolicy other =
      learn_policy(Context({.threads = 2}), moved.data.observed, quick_options());
  ASSERT_EQ(one.arm.size(), other.arm.size());
  for (std::size_t i = 0; i < one.arm.size(); ++i) EXPECT_EQ(order[one.arm[i]], other.arm[i]);
  EXPECT_NEAR(one.rule.value, other.rule.value, 1e-6);
}

TEST(LearnPolicy, KeepsToTheBudget) {
  const Dataset data = rule_world(400, 1, 9);
  for (const double budget : {0.0, 0.2}) {
    LearnPolicyOptions options = quick_options();
    options.tree.budget = budget;
    const LearntPolicy learnt = learn_policy(Context({.threads = 2}), data, options);
    EXPECT_LE(learnt.treated_fraction, budget);
    EXPECT_LE(learnt.rule.treated_fraction, budget + 0.1);
    EXPECT_FALSE(learnt.singles[1].within_budget);
    EXPECT_EQ(learnt.best_single.value, learnt.singles[0].value);
    if (budget > 0) {
      EXPECT_GT(learnt.price, 0);
      EXPECT_GT(learnt.treated_fraction, 0.05);
      EXPECT_EQ(learnt.verdict, RuleVerdict::kBetter);
    }
  }
}

TEST(LearnPolicy, CostsAreSubtractedFromEveryValue) {
  const Dataset data = rule_world(300, 1, 10);
  const LearntPolicy plain = learn_policy(Context({.threads = 2}), data, quick_options());
  LearnPolicyOptions options = quick_options();
  options.cost = {"0=2", "1=2"};
  const LearntPolicy both = learn_policy(Context({.threads = 2}), data, options);
  EXPECT_TRUE(same_tree(plain.tree, both.tree));
  EXPECT_NEAR(both.rule.value, plain.rule.value - 2, 1e-9);
  EXPECT_NEAR(both.logged.value, plain.logged.value - 2, 1e-9);
  EXPECT_NEAR(both.logged.gain, plain.logged.gain, 1e-9);
  options.cost = {"1=50"};
  const LearntPolicy costly = learn_policy(Context({.threads = 2}), data, options);
  EXPECT_EQ(costly.verdict, RuleVerdict::kSingleArm);
  EXPECT_EQ(costly.treated_fraction, 0);
}

TEST(LearnPolicy, AConstantCostColumnIsTheNumberAndAVaryingOneChangesTheRule) {
  Dataset data = rule_world(300, 1, 10);
  data.kept.push_back({"price", std::vector<double>(300, 0.4)});
  LearnPolicyOptions options = quick_options();
  options.cost = {"1=0.4"};
  const LearntPolicy number = learn_policy(Context({.threads = 2}), data, options);
  options.cost = {"1=price"};
  const LearntPolicy column = learn_policy(Context({.threads = 2}), data, options);
  EXPECT_TRUE(same_tree(number.tree, column.tree));
  EXPECT_EQ(number.rule.value, column.rule.value);
  EXPECT_EQ(number.logged.sampling_gain_interval, column.logged.sampling_gain_interval);
  EXPECT_EQ(column.costs[1].column, "price");
  // Units with a positive x0 are too expensive to treat: the rule splits on it.
  for (std::size_t i = 0; i < 300; ++i) {
    data.kept[0].values[i] = data.features.matrix.row(i).at(0) > 0 ? 20 : 0;
  }
  const LearntPolicy costly = learn_policy(Context({.threads = 2}), data, options);
  for (std::size_t i = 0; i < 300; ++i) {
    if (costly.arm[i] == 0) continue;
    EXPECT_LE(data.features.matrix.row(i).at(0), 0.2);
  }
}

TEST(LearnPolicy, TheBestSingleArmKeepsItsIntervalWhereOnlyAnotherArmLacksOne) {
  Dataset data = rule_world(400, 0, 12);
  for (std::size_t i = 0; i < 400; ++i) {  // half of the units are never treated
    if (data.features.matrix.row(i).at(2) < 0) continue;
    data.treatment[i] = 0;
    (*data.propensity)(i, 0) = 1;
    (*data.propensity)(i, 1) = 0;
  }
  LearnPolicyOptions options = quick_options();
  options.propensities = PropensitySource::kGiven;
  options.tree.budget = 0.3;  // so that the control arm is the only single arm
  const LearntPolicy learnt = learn_policy(Context({.threads = 2}), data, options);
  EXPECT_TRUE(std::isnan(learnt.singles[1].standard_error));
  EXPECT_EQ(learnt.best_single.value, learnt.singles[0].value);
  EXPECT_TRUE(std::isfinite(learnt.singles[0].standard_error));
  EXPECT_EQ(learnt.best_single.sampling_interval, learnt.singles[0].sampling_interval);
}

TEST(LearnPolicy, WarnsOfPositivityViolations) {
  const SmallWorld world = small_world(400, 12, 1, 3);
  const LearntPolicy learnt =
      learn_policy(Context({.threads = 2}), world.data.observed, quick_options());
  const bool warns =
      std::any_of(learnt.warnings.begin(), learnt.warnings.end(), [](const std::string& warning) {
        return warning.find("positivity violation") != std::string::npos;
      });
  EXPECT_TRUE(warns);
}

TEST(LearnPolicy, RefusesWhatItCannotUse) {
  const Dataset data = rule_world(60, 0, 11);
  const auto refuses = [](const Dataset& of, const LearnPolicyOptions& options, ErrorCode code) {
    try {
      learn_policy(Context({.threads = 1}), of, options);
      return false;
    } catch (const Error& error) {
      return error.code() == code;
    }
  };
  LearnPolicyOptions options = quick_options();
  options.cost = {"2=1"};
  EXPECT_TRUE(refuses(data, options, ErrorCode::kUsage));
  options.cost = {"1=much"};
  EXPECT_TRUE(refuses(data, options, ErrorCode::kUsage));
  options.cost = {"1=1", "1=2"};
  EXPECT_TRUE(refuses(data, options, ErrorCode::kUsage));
  options = quick_options();
  options.split_on = {"unknown"};
  EXPECT_TRUE(refuses(data, options, ErrorCode::kUsage));
  options = quick_options();
  options.propensities = PropensitySource::kGiven;
  Dataset without = data;
  without.propensity.reset();
  EXPECT_TRUE(refuses(without, options, ErrorCode::kData));
  Dataset impossible = data;
  (*impossible.propensity)(0, impossible.treatment[0]) = 0;
  EXPECT_TRUE(refuses(impossible, options, ErrorCode::kData));
  Dataset bare = data;
  bare.treatment.clear();
  bare.outcome.clear();
  EXPECT_TRUE(refuses(bare, quick_options(), ErrorCode::kData));
}

TEST(LearnPolicy, VerdictsAreConditionalUnlessTreatmentWasRandomised) {
  const Dataset data = rule_world(600, 1, 31);
  LearnPolicyOptions options = quick_options(1);
  const LearntPolicy observed = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  EXPECT_FALSE(observed.is_randomised);
  for (const RuleValue& single : observed.singles) {
    ASSERT_TRUE(single.sensitivity_gain_interval.has_value());
    EXPECT_LT(single.sensitivity_gain_interval->first, single.sampling_gain_interval.first);
    EXPECT_GT(single.sensitivity_gain_interval->second, single.sampling_gain_interval.second);
    EXPECT_EQ(single.verdict, ComparisonVerdict::kConditional)
        << "its network says nothing about treatment";
  }
  options.randomised = true;
  const LearntPolicy declared = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  EXPECT_TRUE(declared.is_randomised);
  EXPECT_EQ(declared.singles[1].verdict, ComparisonVerdict::kSupported);
  options.randomised = false;
  options.propensities = PropensitySource::kGiven;
  EXPECT_TRUE(learn_policy(Context({.seed = 1, .threads = 2}), data, options).is_randomised);
}

TEST(LearnPolicy, DeclaredRandomisationThatTheNetworkContradictsDoesNotCount) {
  Dataset data = rule_world(400, 1, 32);
  std::vector<std::vector<NodeIndex>> members(2);
  for (std::size_t i = 0; i < 400; ++i) {
    members[data.treatment[i]].push_back(static_cast<NodeIndex>(i));
  }
  std::vector<Edge> edges;
  for (const std::vector<NodeIndex>& arm : members) {
    for (std::size_t k = 0; k < 3 * arm.size(); ++k) {
      edges.push_back({arm[k % arm.size()], arm[(k + 1 + k / arm.size()) % arm.size()]});
    }
  }
  data.graph = build_graph(Context({.threads = 1}), 400, edges);
  LearnPolicyOptions options = quick_options(1);
  options.randomised = true;
  const LearntPolicy learnt = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  EXPECT_FALSE(learnt.is_randomised);
  EXPECT_TRUE(std::ranges::any_of(learnt.warnings, [](const std::string& warning) {
    return warning.starts_with("--randomised is contradicted by the data");
  }));
}

TEST(LearnPolicy, IntervalsOfSmallSamplesAreByTQuantiles) {
  const Dataset data = rule_world(40, 1, 33);
  LearnPolicyOptions options = quick_options(1);
  options.dependence = Dependence::kIndependent;
  options.propensities = PropensitySource::kGiven;
  const LearntPolicy learnt = learn_policy(Context({.seed = 1, .threads = 2}), data, options);
  for (const RuleValue& single : learnt.singles) {
    const double half_width =
        (single.sampling_interval.second - single.sampling_interval.first) / 2;
    EXPECT_GT(half_width, 2.0 * single.standard_error) << "about 20 units: t is 2.1";
    EXPECT_LT(half_width, 2.5 * single.standard_error);
  }
}

}  // namespace
}  // namespace cone::testing
