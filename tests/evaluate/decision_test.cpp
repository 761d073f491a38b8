#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "support/small_network.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// treat-all, treat-none, and treat-all once more.
SmallWorld world_with_policies(std::size_t n, std::uint64_t item) {
  SmallWorld world = small_world(n, 0.7, 0.5, item);
  world.policies = {{"all", two_arm_probabilities(std::vector<double>(n, 1.0))},
                    {"none", two_arm_probabilities(std::vector<double>(n, 0.0))},
                    {"all again", two_arm_probabilities(std::vector<double>(n, 1.0))}};
  return world;
}

EvaluateOptions headline_only(Target target = Target::kSample) {
  EvaluateOptions options;
  options.estimators = {"naive", "network_dm"};
  options.estimator.target = target;
  return options;
}

Decision decide_on(const SmallWorld& world, const EvaluateOptions& options) {
  return evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options)
      .decision.value();
}

const DecidedPolicy& find(const Decision& decision, const std::string& name) {
  for (const DecidedPolicy& policy : decision.policies) {
    if (policy.name == name) return policy;
  }
  throw std::runtime_error("no policy " + name);
}

TEST(Decision, TheLoggedPolicyIsTheMeanOutcomeAndComesFirst) {
  const SmallWorld world = world_with_policies(400, 1);
  const Decision decision = decide_on(world, headline_only());
  EXPECT_EQ(decision.estimator, "network_dm");
  EXPECT_TRUE(decision.policies[0].is_logged);
  EXPECT_NEAR(decision.policies[0].value, mean(world.data.observed.outcome), 1e-12);
  EXPECT_EQ(decision.policies[0].sampling_interval->first,
            decision.policies[0].sampling_interval->second)
      << "for the sample it is known";
  EXPECT_EQ(decision.policies.size(), 4U);
}

TEST(Decision, DetectsAnEffect) {
  const Decision decision = decide_on(world_with_policies(800, 2), headline_only());
  const DecidedPolicy& all = find(decision, "all");
  const DecidedPolicy& none = find(decision, "none");
  EXPECT_GT(all.sampling_gain_interval->first, 0);
  EXPECT_LT(none.sampling_gain_interval->second, 0);
  EXPECT_LT(*all.gain_p, 0.05);
  EXPECT_TRUE(all.may_be_best);
  EXPECT_FALSE(none.may_be_best);
  EXPECT_EQ(none.ranks->first, 4U);
  EXPECT_GT(*none.regret, 0.3);
}

TEST(Decision, IdenticalPoliciesAreTied) {
  const Decision decision = decide_on(world_with_policies(400, 3), headline_only());
  const DecidedPolicy& one = find(decision, "all");
  const DecidedPolicy& two = find(decision, "all again");
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.ranks, two.ranks);
  for (const PolicyDifference& pair : decision.differences) {
    if (decision.policies[pair.first].name == "all" &&
        decision.policies[pair.second].name == "all again") {
      EXPECT_EQ(pair.standard_error, 0);
      EXPECT_EQ(pair.p, 1);
    }
  }
}

TEST(Decision, GainsAreValuesMinusThatOfTheLoggedPolicy) {
  for (const Target target : {Target::kSample, Target::kPopulation}) {
    const Decision decision = decide_on(world_with_policies(500, 4), headline_only(target));
    EXPECT_EQ(decision.target, target);
    for (const DecidedPolicy& policy : decision.policies) {
      if (policy.is_logged) continue;
      EXPECT_NEAR(policy.gain, policy.value - decision.policies[0].value, 1e-12);
      EXPECT_LE(policy.sampling_gain_interval->first, policy.gain);
      EXPECT_GE(policy.sampling_gain_interval->second, policy.gain);
      EXPECT_LE(policy.sensitivity_interval->first, policy.sampling_interval->first);
      EXPECT_GE(policy.sensitivity_interval->second, policy.sampling_interval->second);
    }
  }
}

TEST(Decision, AGainHasOneErrorInItsIntervalItsDifferenceAndItsP) {
  std::size_t num_significant = 0;
  for (std::uint64_t item = 0; item < 12; ++item) {
    // Effects from none to significant.
    SmallWorld world = small_world(150, 0.7, 0.04 * static_cast<double>(item), 30 + item);
    world.policies.push_back({"all", two_arm_probabilities(std::vector<double>(150, 1.0))});
    for (const Target target : {Target::kSample, Target::kPopulation}) {
      const Decision decision = decide_on(world, headline_only(target));
      for (const PolicyDifference& d : decision.differences) {
        const bool has_zero = d.sampling_interval.first <= 0 && d.sampling_interval.second >= 0;
        EXPECT_FALSE(d.p < 0.05 && has_zero);
        EXPECT_LE(d.sampling_joint_interval.first, d.sampling_interval.first);
        if (d.first != 0) continue;
        const DecidedPolicy& policy = decision.policies[d.second];
        EXPECT_EQ(policy.gain_p, d.p);
        EXPECT_NEAR(policy.sampling_gain_interval->first, -d.sampling_interval.second, 1e-12);
        EXPECT_NEAR(policy.sampling_gain_interval->second, -d.sampling_interval.first, 1e-12);
        num_significant += d.p < 0.05 ? 1 : 0;
        if (target == Target::kPopulation) continue;
        const double width = policy.sampling_interval->second - policy.sampling_interval->first;
        EXPECT_NEAR(policy.sampling_gain_interval->second - policy.sampling_gain_interval->first,
                    width, 1e-12);
        EXPECT_LE(policy.band->first, policy.sampling_interval->first + 1e-12);
      }
    }
  }
  EXPECT_GT(num_significant, 4U);
  EXPECT_LT(num_significant, 44U);
}

TEST(Decision, UnitOfTheOutcomeChangesNoVerdict) {
  SmallWorld world = world_with_policies(400, 5);
  const Decision plain = decide_on(world, headline_only());
  for (double& y : world.data.observed.outcome) y = 1000 + 20 * y;
  world.data.truth.reset();
  const Decision scaled = decide_on(world, headline_only());
  for (std::size_t k = 1; k < plain.policies.size(); ++k) {
    const DecidedPolicy& a = plain.policies[k];
    const DecidedPolicy& b = scaled.policies[k];
    EXPECT_NEAR(b.gain / 20, a.gain, 1e-5);
    EXPECT_NEAR((b.sampling_interval->second - b.sampling_interval->first) / 20,
                a.sampling_interval->second - a.sampling_interval->first, 1e-4);
    EXPECT_NEAR((b.sensitivity_interval->second - b.value) / 20,
                a.sensitivity_interval->second - a.value, 1e-4);
    EXPECT_EQ(b.ranks, a.ranks);
  }
}

TEST(Decision, OrderOfTheNodesChangesNothing) {
  SmallWorld world = world_with_policies(300, 6);
  const Decision before = decide_on(world, headline_only());
  std::vector<NodeIndex> order(300);
  for (NodeIndex i = 0; i < 300; ++i) order[i] = (i * 7 + 11) % 300;
  world.data.observed = testing::with_nodes_permuted(world.data.observed, order);
  world.data.truth.reset();
  const Decision after = decide_on(world, headline_only());
  for (std::size_t k = 1; k < before.policies.size(); ++k) {
    EXPECT_NEAR(after.policies[k].value, before.policies[k].value, 1e-6);
    EXPECT_NEAR(after.policies[k].sampling_interval->first,
                before.policies[k].sampling_interval->first, 1e-5);
    EXPECT_NEAR(after.policies[k].sensitivity_interval->first,
                before.policies[k].sensitivity_interval->first, 1e-4);
  }
}

TEST(Decision, ThreadsChangeNothing) {
  const SmallWorld world = world_with_policies(300, 7);
  const auto on = [&](int threads) {
    return evaluate(Context({.seed = 3, .threads = threads}), world.data, world.policies,
                    headline_only())
        .decision.value();
  };
  const Decision one = on(1);
  for (const int threads : {2, 5}) {
    const Decision many = on(threads);
    for (std::size_t k = 0; k < one.policies.size(); ++k) {
      EXPECT_EQ(many.policies[k].sampling_interval, one.policies[k].sampling_interval);
      EXPECT_EQ(many.policies[k].sensitivity_interval, one.policies[k].sensitivity_interval);
      EXPECT_EQ(many.policies[k].band, one.policies[k].band);
    }
  }
}

TEST(Decision, PolicyEqualToTheLoggedPolicyHasItsValue) {
  SmallWorld world = world_with_policies(300, 9);
  std::vector<double> as_logged;
  for (const Arm t : world.data.observed.treatment) as_logged.push_back(t);
  world.policies.push_back({"as before", two_arm_probabilities(as_logged)});
  const Decision decision = decide_on(world, headline_only());
  const DecidedPolicy& same = find(decision, "as before");
  EXPECT_EQ(same.value, decision.policies[0].value);
  EXPECT_EQ(same.gain, 0);
  EXPECT_EQ(*same.sampling_gain_interval, (std::pair{0.0, 0.0}));
  EXPECT_EQ(same.ranks, decision.policies[0].ranks);
  EXPECT_FALSE(same.sensitivity_interval.has_value())
      << "the value is known, whatever is unmeasured";
}

TEST(Decision, WarnsOfARefusedDependence) {
  const SmallWorld world = world_with_policies(300, 10);
  EvaluateOptions options = headline_only();
  options.estimator.dependence = Dependence::kClusters;  // a ring has none
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  bool said = record.decision->dependence == Dependence::kClusters;
  for (const std::string& warning : record.diagnostics.warnings) {
    said = said || warning.find("--dependence clusters cannot be used") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(Decision, SplitProtocolHasNone) {
  EvaluateOptions options = headline_only();
  options.plan.protocol = Protocol::kSplit;
  const SmallWorld world = world_with_policies(400, 8);
  EXPECT_FALSE(evaluate(Context(), world.data, world.policies, options).decision.has_value());
}

bool excludes_zero(std::pair<double, double> interval) {
  return interval.first > 0 || interval.second < 0;
}

/// Every unit has three edges to units of its own arm, so that neighbours predict treatment, and as
/// many as `others` to any unit. Units from `connected` on have none.
void connect_within_arms(SmallWorld& world, std::size_t others = 0, std::size_t connected = 400) {
  Dataset& data = world.data.observed;
  std::vector<std::vector<NodeIndex>> members(2);
  for (std::size_t i = 0; i < connected; ++i) {
    members[data.treatment[i]].push_back(static_cast<NodeIndex>(i));
  }
  std::vector<Edge> edges;
  for (const std::vector<NodeIndex>& arm : members) {
    for (std::size_t k = 0; k < arm.size(); ++k) {
      for (std::size_t step = 1; step <= 3; ++step) {
        edges.push_back({arm[k], arm[(k + step) % arm.size()]});
      }
    }
  }
  for (std::size_t i = 0; i < connected; ++i) {
    for (std::size_t k = 1; k <= others; ++k) {
      edges.push_back(
          {static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 37 * k) % connected)});
    }
  }
  data.graph = build_graph(Context({.threads = 1}), data.num_nodes(), edges);
}

TEST(Verdict, IsSupportedOnlyByABenchmarkWhoseSensitivityIntervalExcludesZero) {
  std::size_t num_supported = 0;
  std::size_t num_conditional = 0;
  std::size_t num_without_benchmark = 0;
  for (std::uint64_t item = 0; item < 8; ++item) {
    SmallWorld world = world_with_policies(400, 50 + item);
    if (item % 2 == 1) connect_within_arms(world, 16);  // else edges say nothing about treatment
    for (std::size_t i = 0; i < 400; ++i) {
      world.data.observed.outcome[i] += 30.0 * world.data.observed.treatment[i];
    }
    std::vector<double> half(400, 1.0);
    for (std::size_t i = 0; i < 200; ++i) half[i] = 0;
    world.policies.push_back({"half", two_arm_probabilities(half)});
    const Decision decision = decide_on(world, headline_only());
    for (const PolicyDifference& d : decision.differences) {
      ASSERT_TRUE(d.sensitivity_interval.has_value());
      EXPECT_LE(d.sensitivity_interval->first, d.sampling_interval.first);
      EXPECT_GE(d.sensitivity_interval->second, d.sampling_interval.second);
      EXPECT_LE(d.sensitivity_joint_interval->first, d.sampling_joint_interval.first);
      const bool shown = excludes_zero(d.sampling_interval);
      EXPECT_EQ(d.verdict == ComparisonVerdict::kNotShown, !shown);
      EXPECT_EQ(d.verdict == ComparisonVerdict::kSupported,
                decision.has_benchmark && shown && excludes_zero(*d.sensitivity_interval));
      num_without_benchmark +=
          !decision.has_benchmark && excludes_zero(*d.sensitivity_interval) ? 1 : 0;
      num_supported += d.verdict == ComparisonVerdict::kSupported ? 1 : 0;
      num_conditional += d.verdict == ComparisonVerdict::kConditional ? 1 : 0;
      if (d.first == 0) {
        EXPECT_EQ(decision.policies[d.second].verdict, d.verdict);
      }
    }
    EXPECT_EQ(decision.has_benchmark, item % 2 == 1);
    EXPECT_TRUE(decision.has_benchmark || !decision.single_best.has_value());
    for (const DecidedPolicy& policy : decision.policies) {
      EXPECT_LE(policy.sensitivity_ranks->first, policy.ranks->first);
      EXPECT_GE(policy.sensitivity_ranks->second, policy.ranks->second);
      EXPECT_TRUE(policy.sensitivity_may_be_best || !policy.may_be_best);
    }
  }
  EXPECT_GT(num_supported, 0U);
  EXPECT_GT(num_conditional, 0U);
  EXPECT_GT(num_without_benchmark, 0U) << "a small upper limit is no support";
}

TEST(Verdict, IsolatedUnitsLeaveNoBenchmark) {
  SmallWorld world = world_with_policies(400, 50);
  connect_within_arms(world, 4, 250);
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, headline_only());
  EXPECT_TRUE(record.diagnostics.network_strength->is_clear);
  EXPECT_FALSE(record.decision->has_benchmark);
  EXPECT_TRUE(std::ranges::any_of(record.diagnostics.warnings, [](const std::string& warning) {
    return warning.starts_with("38 % of the units have no neighbours");
  }));
}

TEST(Verdict, BiasOfAContrastIsAtMostThatOfBothPolicies) {
  SmallWorld world = world_with_policies(400, 61);
  std::vector<double> nearly(400, 1.0);
  nearly[0] = 0;
  world.policies.push_back({"nearly all", two_arm_probabilities(nearly)});
  const Decision decision = decide_on(world, headline_only());
  const auto widening = [](const DecidedPolicy& p) {
    return p.sensitivity_interval ? p.interval->first - p.sensitivity_interval->first : 0;
  };
  for (const PolicyDifference& d : decision.differences) {
    const DecidedPolicy& one = decision.policies[d.first];
    const DecidedPolicy& other = decision.policies[d.second];
    const double bound = d.interval.first - d.sensitivity_interval->first;
    EXPECT_LE(bound, widening(one) + widening(other) + 1e-12);
    if (one.name == "all" && other.name == "nearly all") {
      EXPECT_LT(bound, 0.4 * widening(one)) << "they differ for one unit";
    }
  }
}

TEST(Verdict, RandomAssignmentNeedsNoSensitivityInterval) {
  SmallWorld world = world_with_policies(400, 62);
  EvaluateOptions options = headline_only();
  options.randomised = true;
  const Decision declared = decide_on(world, options);
  EXPECT_TRUE(declared.is_randomised);
  for (const PolicyDifference& d : declared.differences) {
    EXPECT_EQ(d.verdict, excludes_zero(d.sampling_interval) ? ComparisonVerdict::kSupported
                                                            : ComparisonVerdict::kNotShown);
  }
  for (const DecidedPolicy& policy : declared.policies) {
    EXPECT_EQ(policy.sensitivity_ranks, policy.ranks);
  }
  world.policies.pop_back();  // "all again" is tied with "all"
  EXPECT_EQ(decide_on(world, options).single_best, "all");
}

TEST(Verdict, IsAtBestConditionalWithoutAMeasureOfConfounding) {
  SmallWorld world = world_with_policies(400, 63);
  world.policies.pop_back();
  EvaluateOptions options = headline_only();
  options.sensitivity_interval = false;
  const Decision decision = decide_on(world, options);
  EXPECT_EQ(find(decision, "all").verdict, ComparisonVerdict::kConditional);
  EXPECT_FALSE(find(decision, "all").sensitivity_ranks.has_value());
  EXPECT_EQ(find(decision, "all").ranks->first, 1U);
  EXPECT_FALSE(decision.single_best.has_value());
}

TEST(Verdict, IsNotShownWhereFewUnitsOfAnArmHaveAnEvent) {
  SmallWorld world = world_with_policies(400, 64);
  world.data.truth.reset();
  std::size_t events = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    double& y = world.data.observed.outcome[i];
    const bool keeps = world.data.observed.treatment[i] == 0 || ++events <= 12;
    y = keeps ? y + 5 : 0;  // a large difference that rests on 12 units
  }
  EvaluateOptions options = headline_only();
  options.randomised = true;
  const Decision decision = decide_on(world, options);
  EXPECT_NE(
      find(decision, "all").unreliable.find("of units in arm '1' with an outcome other than 0"),
      std::string::npos)
      << find(decision, "all").unreliable;
  EXPECT_EQ(find(decision, "all").verdict, ComparisonVerdict::kNotShown);
  // Its value is that of the other arm, but its difference from the logged policy rests on the same
  // units.
  EXPECT_NE(find(decision, "none").unreliable.find("and whose arm it changes"), std::string::npos)
      << find(decision, "none").unreliable;
  EXPECT_EQ(find(decision, "none").verdict, ComparisonVerdict::kNotShown);
  EXPECT_FALSE(decision.single_best.has_value()) << "all may be anything";
  EXPECT_TRUE(find(decision, "all").may_be_best && find(decision, "none").may_be_best)
      << "no comparison with an unreliable policy changes a rank";
}

TEST(Verdict, RandomAssignmentDoesNotHelpAnEstimatorThatAdjustsForNothing) {
  const SmallWorld world = world_with_policies(400, 65);
  EvaluateOptions options;
  options.estimators = {"naive"};
  options.randomised = true;
  const Decision decision = decide_on(world, options);
  EXPECT_FALSE(decision.is_randomised);
  for (const PolicyDifference& d : decision.differences) {
    EXPECT_NE(d.verdict, ComparisonVerdict::kSupported);
  }
}

TEST(Verdict, DeclaredRandomisationThatTheNetworkContradictsDoesNotCount) {
  SmallWorld world = world_with_policies(400, 66);
  connect_within_arms(world);
  EvaluateOptions options = headline_only();
  const Decision undeclared = decide_on(world, options);
  options.randomised = true;
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  EXPECT_FALSE(record.decision->is_randomised);
  EXPECT_EQ(find(*record.decision, "all").verdict, find(undeclared, "all").verdict);
  EXPECT_NE(find(*record.decision, "all").verdict, ComparisonVerdict::kSupported);
  ASSERT_FALSE(record.diagnostics.warnings.empty());
  EXPECT_TRUE(record.diagnostics.warnings[0].starts_with(
      "--randomised is contradicted by the data: the network predicts treatment"))
      << record.diagnostics.warnings[0];

  // Randomised by cluster, neighbours are treated alike.
  for (std::size_t i = 0; i < 400; ++i) {
    world.data.observed.cluster.push_back(
        static_cast<std::uint32_t>(2 * (i % 40) + world.data.observed.treatment[i]));
  }
  EXPECT_TRUE(decide_on(world, options).is_randomised);
}

TEST(Verdict, RankingsHaveOneAndItObeysTheDeclaration) {
  SmallWorld world = world_with_policies(400, 67);
  EvaluateOptions options = headline_only();
  options.budget.rank = {"by x1"};
  world.policies = small_world(400, 0.7, 0.5, 67).policies;
  options.randomised = true;
  const auto area_of = [&] {
    return evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options)
        .budget_curves.at(0)
        .qini;
  };
  const RankingArea declared = area_of();
  ASSERT_TRUE(declared.sensitivity_interval.has_value());
  EXPECT_LT(declared.sensitivity_interval->first, declared.interval.first);
  EXPECT_EQ(declared.verdict, excludes_zero(declared.interval) ? ComparisonVerdict::kSupported
                                                               : ComparisonVerdict::kNotShown);
}

TEST(Decision, SaysThatASplitHasNoSmoothingBias) {
  const SmallWorld world = world_with_policies(300, 68);
  EvaluateOptions options = headline_only();
  options.plan.protocol = Protocol::kSplit;
  const auto warnings =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options)
          .diagnostics.warnings;
  EXPECT_EQ(std::ranges::count(warnings,
                               "--protocol split: intervals are for sampling error alone, without "
                               "the smoothing bias"),
            1);
}

TEST(Decision, SensitivityIntervalsOfTwoValuesStayBetweenThemOverRepeats) {
  SmallWorld world = world_with_policies(300, 69);
  world.data.truth.reset();
  for (double& y : world.data.observed.outcome) y = y > 0 ? 1 : 0;
  EvaluateOptions options = headline_only();
  options.repeats = 2;
  for (const DecidedPolicy& policy : decide_on(world, options).policies) {
    if (!policy.sensitivity_interval) continue;
    EXPECT_GE(policy.sensitivity_interval->first, 0);
    EXPECT_LE(policy.sensitivity_interval->second, 1);
  }
}

}  // namespace
}  // namespace cone
