// Folds of whole clusters.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "data/split.hpp"

namespace cone {
namespace {

/// `size` nodes per cluster, of which `num_treated(cluster)` are treated.
template <class NumTreated>
Dataset clustered_data(std::uint32_t clusters, std::uint32_t size, const NumTreated& num_treated) {
  Dataset data;
  data.ids = IdTable::numbered(std::size_t{clusters} * size);
  for (std::uint32_t c = 0; c < clusters; ++c) {
    for (std::uint32_t i = 0; i < size; ++i) {
      data.cluster.push_back(c);
      data.treatment.push_back(i < num_treated(c) ? 1 : 0);
      data.outcome.push_back(i);
    }
  }
  return data;
}

bool keeps_clusters(const Dataset& data, const std::vector<std::vector<NodeIndex>>& folds) {
  std::vector<std::set<std::size_t>> folds_of(data.num_nodes());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    for (const NodeIndex i : folds[f]) folds_of[data.cluster[i]].insert(f);
  }
  return std::ranges::all_of(folds_of, [](const auto& found) { return found.size() <= 1; });
}

TEST(ClusterFolds, HoldWholeClustersAndBothArms) {
  // Whole clusters are treated or not.
  const Dataset data = clustered_data(30, 8, [](std::uint32_t c) { return c % 2 == 0 ? 8U : 0U; });
  const auto folds = make_folds(data, 5, true, 3);
  EXPECT_TRUE(keeps_clusters(data, folds));
  std::size_t total = 0;
  for (const std::vector<NodeIndex>& fold : folds) {
    const auto treated =
        std::ranges::count_if(fold, [&](NodeIndex i) { return data.treatment[i] == 1; });
    EXPECT_EQ(treated, 24);
    EXPECT_EQ(fold.size(), 48U);
    EXPECT_TRUE(std::ranges::is_sorted(fold));
    total += fold.size();
  }
  EXPECT_EQ(total, 240U);
  EXPECT_NE(folds, make_folds(data, 5, true, 4)) << "the seed matters";
  EXPECT_EQ(folds, make_folds(data, 5, true, 3));
}

TEST(ClusterFolds, DoNotDependOnTheNumbersOfTheClusters) {
  Dataset data = clustered_data(12, 5, [](std::uint32_t) { return 2U; });
  const auto folds = make_folds(data, 4, true, 3);
  for (std::uint32_t& c : data.cluster) c = 11 - c;
  EXPECT_EQ(make_folds(data, 4, true, 3), folds);
}

TEST(ClusterFolds, NodesAreAssignedOneByOneWhereClustersAreTooFew) {
  // Two clusters, one treated and one not: no fold of whole clusters has both arms.
  const Dataset data = clustered_data(2, 20, [](std::uint32_t c) { return c == 0 ? 20U : 0U; });
  const auto folds = make_folds(data, 2, true, 3);
  EXPECT_FALSE(keeps_clusters(data, folds));
  for (const std::vector<NodeIndex>& fold : folds) EXPECT_EQ(fold.size(), 20U);
  const Dataset few = clustered_data(3, 20, [](std::uint32_t) { return 10U; });
  EXPECT_TRUE(keeps_clusters(few, make_folds(few, 3, true, 3)));
  EXPECT_FALSE(keeps_clusters(few, make_folds(few, 5, true, 3)));
}

}  // namespace
}  // namespace cone
