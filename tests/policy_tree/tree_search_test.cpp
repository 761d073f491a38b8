#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "cone/learn_policy.hpp"

#include "base/random.hpp"
#include "policy_tree/brute_force.hpp"

namespace cone::testing {
namespace {

struct TreeCase {
  Matrix<double> columns;
  Matrix<double> scores;
};

/// Small integers, so that values and sums are often tied.
TreeCase draw_tied_case(std::size_t n, std::size_t num_columns, std::size_t num_arms,
                        std::uint64_t item) {
  Rng rng(3, Stream::kTest, item);
  TreeCase out{Matrix<double>(n, num_columns), Matrix<double>(n, num_arms)};
  for (std::size_t c = 0; c < num_columns; ++c) {
    const std::uint64_t distinct = 1 + rng.below(c == 0 ? 2 : n);
    for (std::size_t i = 0; i < n; ++i) {
      out.columns(i, c) = static_cast<double>(rng.below(distinct)) - 2;
    }
  }
  const std::uint64_t size = 2 + rng.below(8);
  for (double& score : out.scores.values()) {
    score = static_cast<double>(rng.below(size)) - static_cast<double>(size / 2);
  }
  return out;
}

TreeCase draw_case(std::size_t n, std::size_t num_columns, std::size_t num_arms,
                   std::uint64_t item) {
  Rng rng(5, Stream::kTest, item);
  TreeCase out{Matrix<double>(n, num_columns), Matrix<double>(n, num_arms)};
  for (double& value : out.columns.values()) value = std::round(4 * rng.normal()) / 4;
  for (double& score : out.scores.values()) score = rng.normal();
  return out;
}

TreeOptions options_of(std::uint32_t depth, std::uint64_t min_leaf = 1, double budget = 1) {
  TreeOptions options;
  options.depth = depth;
  options.min_leaf = min_leaf;
  options.budget = budget;
  return options;
}

PolicyTree learn(const TreeCase& of, const TreeOptions& options, int threads = 1) {
  return learn_tree(Context({.threads = threads}), of.columns.view(), of.scores.view(), options);
}

TEST(TreeSearch, FindsTheTreeOfBruteForceWithTiesAndRepeatedValues) {
  for (std::uint64_t item = 0; item < 400; ++item) {
    Rng rng(7, Stream::kTest, item);
    const std::size_t n = 1 + rng.below(40);
    const std::size_t num_arms = 2 + rng.below(2);
    const std::uint64_t min_leaf = 1 + rng.below(5);
    const TreeCase of = draw_tied_case(n, 3, num_arms, item);
    for (const std::uint32_t depth : {1U, 2U}) {
      const BruteTree expected =
          brute_tree(of.columns.view(), of.scores.view(), static_cast<int>(depth), min_leaf);
      const PolicyTree found = learn(of, options_of(depth, min_leaf));
      ASSERT_EQ(sum_of(found, of.columns.view(), of.scores.view()), expected.sum)
          << "case " << item << ", depth " << depth << ", min leaf " << min_leaf;
      ASSERT_TRUE(same_tree(found, expected.tree)) << "case " << item << ", depth " << depth;
    }
  }
}

TEST(TreeSearch, FindsTheTreeOfBruteForceWithUnevenScoresAndManyArms) {
  for (std::uint64_t item = 0; item < 40; ++item) {
    Rng rng(9, Stream::kTest, item);
    const TreeCase of = draw_case(20 + rng.below(21), 3, 2 + rng.below(5), item);
    const std::uint64_t min_leaf = 1 + rng.below(4);
    for (const std::uint32_t depth : {1U, 2U}) {
      const BruteTree expected =
          brute_tree(of.columns.view(), of.scores.view(), static_cast<int>(depth), min_leaf);
      EXPECT_TRUE(same_tree(learn(of, options_of(depth, min_leaf)), expected.tree)) << item;
    }
  }
}

TEST(TreeSearch, DepthThreeIsNeverWorseThanDepthTwoAndOftenTheBest) {
  int best = 0;
  for (std::uint64_t item = 0; item < 20; ++item) {
    const TreeCase of = draw_case(24, 3, 2, 100 + item);
    const auto sum = [&](const PolicyTree& tree) {
      return sum_of(tree, of.columns.view(), of.scores.view());
    };
    const double two = sum(learn(of, options_of(2, 2)));
    const double three = sum(learn(of, options_of(3, 2)));
    const double limit = brute_tree(of.columns.view(), of.scores.view(), 3, 2).sum;
    EXPECT_GE(three, two - 1e-9);
    EXPECT_LE(three, limit + 1e-9);
    best += three > limit - 1e-9 ? 1 : 0;
  }
  EXPECT_GE(best, 12);
}

TEST(TreeSearch, DoesNotDependOnTheOrderOfTheNodes) {
  for (std::uint64_t item = 0; item < 16; ++item) {
    const bool tied = item % 2 == 0;
    const TreeCase of = tied ? draw_tied_case(150, 4, 3, item) : draw_case(150, 4, 3, item);
    Rng rng(11, Stream::kTest, item);
    const std::vector<std::uint32_t> order = rng.permutation(150);
    TreeCase moved = of;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t c = 0; c < 4; ++c) moved.columns(i, c) = of.columns(order[i], c);
      for (std::size_t a = 0; a < 3; ++a) moved.scores(i, a) = of.scores(order[i], a);
    }
    for (const std::uint32_t depth : {1U, 2U, 3U}) {
      for (const double budget : {1.0, 0.3}) {
        if (depth == 3 && budget < 1) continue;  // takes seconds, and is the same search
        const TreeOptions options = options_of(depth, 5, budget);
        EXPECT_TRUE(same_tree(learn(of, options), learn(moved, options))) << item;
      }
    }
  }
}

TEST(TreeSearch, RelabelledArmsGetTheSameUnits) {
  for (std::uint64_t item = 0; item < 10; ++item) {
    const TreeCase of = draw_case(120, 3, 4, item);
    const std::vector<Arm> order = {2, 0, 3, 1};
    TreeCase moved = of;
    for (std::size_t i = 0; i < 120; ++i) {
      for (std::size_t a = 0; a < 4; ++a) moved.scores(i, order[a]) = of.scores(i, a);
    }
    for (const std::uint32_t depth : {1U, 2U, 3U}) {
      PolicyTree tree = learn(of, options_of(depth, 3));
      for (RuleNode& node : tree.nodes) {
        if (node.is_leaf()) node.arm = order[node.arm];
      }
      EXPECT_TRUE(same_tree(tree, learn(moved, options_of(depth, 3)))) << item;
    }
  }
}

TEST(TreeSearch, IsTheSameAtAnyNumberOfThreads) {
  const TreeCase of = draw_case(400, 5, 3, 1);
  for (const std::uint32_t depth : {2U, 3U}) {
    for (const double budget : {1.0, 0.25}) {
      const TreeOptions options = options_of(depth, 10, budget);
      const PolicyTree one = learn(of, options, 1);
      EXPECT_TRUE(same_tree(one, learn(of, options, 2)));
      EXPECT_TRUE(same_tree(one, learn(of, options, 5)));
    }
  }
}

TEST(TreeSearch, KeepsToTheBudgetAndUsesIt) {
  for (std::uint64_t item = 0; item < 10; ++item) {
    TreeCase of = draw_case(500, 4, 2, 40 + item);
    // Every unit benefits from treatment, most where column 0 is large.
    for (std::size_t i = 0; i < 500; ++i) of.scores(i, 1) += 1 + of.columns(i, 0);
    double last = -1e300;
    for (const double budget : {0.0, 0.1, 0.3, 0.6, 1.0}) {
      const PolicyTree tree = learn(of, options_of(2, 5, budget));
      EXPECT_LE(treated_share(tree, of.columns.view()), budget);
      const double sum = sum_of(tree, of.columns.view(), of.scores.view());
      EXPECT_GE(sum, last);
      last = sum;
    }
    EXPECT_EQ(treated_share(learn(of, options_of(2, 5, 0)), of.columns.view()), 0);
    EXPECT_GT(treated_share(learn(of, options_of(2, 5, 0.3)), of.columns.view()), 0.2);
  }
}

/// The largest sum of at most one split that treats at most that share.
double best_within(const TreeCase& of, double budget) {
  const std::size_t n = of.columns.rows();
  double best = -1e300;
  for (std::size_t c = 0; c < of.columns.cols(); ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      for (int arms = 0; arms < 4; ++arms) {
        double sum = 0;
        double treated = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const bool is_left = of.columns(i, c) <= of.columns(k, c);
          const int arm = is_left ? arms & 1 : arms >> 1;
          sum += of.scores(i, static_cast<std::size_t>(arm));
          treated += arm;
        }
        if (treated <= budget * static_cast<double>(n)) best = std::max(best, sum);
      }
    }
  }
  return best;
}

TEST(TreeSearch, IsNearlyOptimalWithinABudget) {
  double found = 0;
  double possible = 0;
  for (std::uint64_t item = 0; item < 100; ++item) {
    const TreeCase of = draw_case(16, 2, 2, 300 + item);
    const PolicyTree tree = learn(of, options_of(1, 1, 0.4));
    double untreated = 0;
    for (std::size_t i = 0; i < 16; ++i) untreated += of.scores(i, 0);
    const double sum = sum_of(tree, of.columns.view(), of.scores.view());
    EXPECT_LE(treated_share(tree, of.columns.view()), 0.4);
    EXPECT_GE(sum, untreated - 1e-9);
    EXPECT_LE(sum, best_within(of, 0.4) + 1e-9) << item;
    found += sum - untreated;
    possible += best_within(of, 0.4) - untreated;
  }
  EXPECT_GT(found, 0.8 * possible) << found / possible;
}

TEST(TreeSearch, ABudgetLeavesNoRedundantSplit) {
  for (std::uint64_t item = 0; item < 60; ++item) {
    const TreeCase of = draw_case(60, 1, 2, 500 + item);
    const PolicyTree tree = learn(of, options_of(2, 3, 0.3));
    std::uint64_t units = 0;
    for (const RuleNode& node : tree.nodes) {
      if (node.is_leaf()) {
        units += node.num_nodes;
        continue;
      }
      const RuleNode& left = tree.nodes[static_cast<std::size_t>(node.left)];
      const RuleNode& right = tree.nodes[static_cast<std::size_t>(node.right)];
      EXPECT_FALSE(left.is_leaf() && right.is_leaf() && left.arm == right.arm) << item;
      EXPECT_EQ(left.num_nodes + right.num_nodes, node.num_nodes);
    }
    EXPECT_EQ(units, 60U);
    // All splits are on one column: adjacent leaves have different arms, unless both sides of the
    // first split are split again.
    if (tree.num_leaves() == 4) continue;
    Arm last = 99;
    for (const RuleNode& node : tree.nodes) {
      if (!node.is_leaf()) continue;
      EXPECT_NE(node.arm, last) << item;
      last = node.arm;
    }
  }
}

TEST(TreeSearch, ThresholdsAreMidpointsAlsoOfHugeOrAdjacentNumbers) {
  TreeCase of{Matrix<double>(4, 2), Matrix<double>(4, 2)};
  const double values[4] = {-1e308, 1e308, 1e308, 1e308};
  for (std::size_t i = 0; i < 4; ++i) {
    of.columns(i, 0) = 7;
    of.columns(i, 1) = values[i];
    of.scores(i, 0) = 1e15;
    of.scores(i, 1) = 1e15 + (i == 0 ? -1 : 1);
  }
  const PolicyTree tree = learn(of, options_of(2));
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[0].column, 1);
  EXPECT_EQ(tree.nodes[0].threshold, 0);
  EXPECT_EQ(tree.nodes[1].arm, 0);
  EXPECT_EQ(tree.nodes[2].arm, 1);
  // Adjacent floating-point numbers: nothing lies between them.
  for (std::size_t i = 0; i < 4; ++i) of.columns(i, 1) = i == 0 ? 1 : std::nextafter(1.0, 2.0);
  EXPECT_EQ(learn(of, options_of(1)).nodes[0].threshold, 1);
}

TEST(TreeSearch, WithoutAnyGainTheTreeIsTheFirstArm) {
  const TreeCase of{draw_case(50, 3, 2, 1).columns, Matrix<double>(50, 3, 2.5)};
  const PolicyTree tree = learn(of, options_of(3));
  ASSERT_EQ(tree.nodes.size(), 1U);
  EXPECT_EQ(tree.nodes[0].arm, 0);
  EXPECT_EQ(tree.nodes[0].num_nodes, 50U);
}

}  // namespace
}  // namespace cone::testing
