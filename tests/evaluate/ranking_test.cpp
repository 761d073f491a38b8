#include "evaluate/ranking.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

double treated(const Matrix<double>& table, Arm arm) {
  const std::vector<double> column = arm_column(table.view(), arm);
  return std::accumulate(column.begin(), column.end(), 0.0);
}

TEST(Ranking, TreatsTheHighestScoresFirstAndBreaksTiesAtRandom) {
  const Ranking ranking("score", false, 1, {1, 3, 1, 1});
  const Matrix<double> half = ranking.treat_first(0.5, 2);
  EXPECT_EQ(half(1, 1), 1);
  for (const std::size_t i : {0, 2, 3}) EXPECT_NEAR(half(i, 1), 1.0 / 3, 1e-15);
  EXPECT_EQ(ranking.treat_first(0.25, 2)(0, 1), 0);
  EXPECT_EQ(ranking.treat_first(0.125, 2)(1, 1), 0.5);  // half a unit
  EXPECT_EQ(ranking.largest_tie(), 0.75);
  EXPECT_EQ(ranking.positions(), (std::vector<double>{0.375, 0.875, 0.375, 0.375}));
}

TEST(Ranking, UsesSurveyWeights) {
  const std::vector<double> units = {4, 1, 0, 5};
  const Ranking ranking("score", false, 1, {2, 3, 1, 2}, units);
  const Matrix<double> half = ranking.treat_first(0.55, 2);  // 5.5 of 10: one, and half of nine
  EXPECT_EQ(half(1, 1), 1);
  EXPECT_NEAR(half(0, 1), 0.5, 1e-15);
  EXPECT_NEAR(half(3, 1), 0.5, 1e-15);
  EXPECT_EQ(half(2, 1), 0);
  EXPECT_NEAR(ranking.largest_tie(), 0.9, 1e-15);
  EXPECT_EQ(ranking.treat_first(1, 2)(3, 1), 1);
}

TEST(Ranking, SpendsEveryBudgetExactlyAndLeavesOtherArmsAlone) {
  std::vector<double> scores;
  for (int i = 0; i < 57; ++i) scores.push_back(i * i % 13);
  const Ranking ranking("score", false, 2, scores);
  for (const double share : {0.0, 0.05, 0.31, 0.77, 1.0}) {
    const Matrix<double> table = ranking.treat_first(share, 3);
    EXPECT_NEAR(treated(table, 2), 57 * share, 1e-9);
    EXPECT_EQ(treated(table, 1), 0);
    EXPECT_NEAR(treated(table, 0), 57 * (1 - share), 1e-9);
  }
}

std::string refusal(const Dataset& data, std::span<const PolicyOnData> policies,
                    const BudgetCurveOptions& options) {
  try {
    find_rankings(data, policies, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.faults()[0].to_string();
  }
  return "none";
}

TEST(Ranking, IsAPolicyAKeptColumnOrAFeature) {
  SmallWorld world = small_world(30, 0.5, 1, 1);
  Dataset& data = world.data.observed;
  data.kept.push_back({"score", std::vector<double>(30, 0.0)});
  data.kept[0].values[4] = 1;
  const std::vector<Ranking> found =
      find_rankings(data, world.policies, {.rank = {"by x1", "score", "x1"}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].is_policy());
  EXPECT_FALSE(found[1].is_policy());
  EXPECT_EQ(found[1].treat_first(1.0 / 30, 2)(4, 1), 1);
  // The policy is an increasing function of x1.
  EXPECT_EQ(found[0].positions(), found[2].positions());
}

TEST(Ranking, RefusesConstantScoresAndUnknownNames) {
  SmallWorld world = small_world(30, 0.5, 1, 1);
  Dataset& data = world.data.observed;
  data.kept.push_back({"score", std::vector<double>(30, 2.0)});
  data.features.names[2] = "shop=north";
  world.policies.push_back({"all", two_arm_probabilities(std::vector<double>(30, 1.0))});
  const auto says = [&](const BudgetCurveOptions& options, const std::string& part) {
    const std::string text = refusal(data, world.policies, options);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says({.rank = {"score"}}, "same value for every node");
  says({.rank = {"all"}}, "same probability");
  says({.rank = {"scor"}}, "neither a policy");
  says({.rank = {"shop"}}, "a text column");
  says({.rank = {"x1", "x1"}}, "named twice");
  world.policies[0].name = "x1";
  says({.rank = {"x1"}}, "a policy of this run and a column");
  world.policies[0].name = "by x1";
  says({.rank = {"x1"}, .rank_arm = "0"}, "is the control arm");
  says({.rank = {"x1"}, .rank_arm = "sms"}, "no arm 'sms'");
  data.arms = {"control", "email", "sms"};
  says({.rank = {"x1"}}, "--rank-arm");
  EXPECT_EQ(name_ranking_policies(Communicator::self(), world.policies),
            (std::vector<std::string>{"by x1"}));
}

}  // namespace
}  // namespace cone
