#include "simulate/alias_table.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

namespace cone {
namespace {

TEST(AliasTable, DrawsItemsInProportionToTheirWeights) {
  const std::vector<double> weights = {5, 0, 1, 0.25, 30, 3, 0};
  const double total = 39.25;
  const AliasTable table(weights);
  constexpr int kDraws = 400'000;
  std::vector<int> count(weights.size(), 0);
  for (int k = 0; k < kDraws; ++k) {
    Rng rng(3, Stream::kTest, static_cast<std::uint64_t>(k));
    ++count[table.draw(rng)];
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / total;
    EXPECT_NEAR(count[i], kDraws * p, 4.5 * std::sqrt(kDraws * p * (1 - p))) << i;
  }
}

TEST(AliasTable, DrawsTheOnlyItem) {
  Rng rng(0, Stream::kTest);
  const std::vector<double> one = {0.3};
  EXPECT_EQ(AliasTable(one).draw(rng), 0U);
}

TEST(AliasTable, RefusesWeightsThatAreNoDistribution) {
  for (const std::vector<double>& weights :
       {std::vector<double>{}, std::vector<double>{0, 0}, std::vector<double>{2, -1},
        std::vector<double>{1, std::nan("")}}) {
    EXPECT_THROW(AliasTable{weights}, Error);
  }
}

}  // namespace
}  // namespace cone
