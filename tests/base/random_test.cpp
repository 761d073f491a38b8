#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace cone {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(int count, const std::function<double(Rng&)>& draw) {
  Moments m;
  double squares = 0;
  Rng rng(7, Stream::kTest);
  for (int i = 0; i < count; ++i) {
    const double x = draw(rng);
    m.mean += x / count;
    squares += x * x / count;
  }
  m.variance = squares - m.mean * m.mean;
  return m;
}

TEST(Rng, IsAPureFunctionOfSeedStreamAndItem) {
  Rng a(1, Stream::kTest, 5);
  Rng warm(1, Stream::kTest, 4);
  for (int i = 0; i < 100; ++i) warm.next_u64();
  Rng b(1, Stream::kTest, 5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u64(), b.next_u64());
}

TEST(Rng, DiffersWithEachOfSeedStreamAndItem) {
  const std::set<std::uint64_t> first = {
      Rng(1, Stream::kTest, 0).next_u64(),          Rng(2, Stream::kTest, 0).next_u64(),
      Rng(1, Stream::kSplit, 0).next_u64(),         Rng(1, Stream::kTest, 1).next_u64(),
      Rng(1, Stream::kTest, 1ULL << 32).next_u64(), Rng(1ULL << 32, Stream::kTest, 0).next_u64()};
  EXPECT_EQ(first.size(), 6U);
}

TEST(Rng, MatchesTheReferenceOfPhilox) {
  // Known answer of Random123's kat_vectors for philox4x32-10, counter and key all zero.
  const auto block = r123::Philox4x32()({{0, 0, 0, 0}}, {{0, 0}});
  EXPECT_EQ(block[0], 0x6627e8d5U);
  EXPECT_EQ(block[3], 0x9b00dbd8U);
}

TEST(Rng, DistributionsHaveTheirMoments) {
  constexpr int kCount = 200000;
  const Moments uniform = moments_of(kCount, [](Rng& r) { return r.uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 0.005);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.002);
  const Moments normal = moments_of(kCount, [](Rng& r) { return r.normal(); });
  EXPECT_NEAR(normal.mean, 0, 0.01);
  EXPECT_NEAR(normal.variance, 1, 0.02);
  const Moments exponential = moments_of(kCount, [](Rng& r) { return r.exponential(); });
  EXPECT_NEAR(exponential.mean, 1, 0.01);
  for (const double shape : {0.3, 1.0, 4.5}) {
    const Moments gamma = moments_of(kCount, [shape](Rng& r) { return r.gamma(shape); });
    EXPECT_NEAR(gamma.mean, shape, 0.02 * shape + 0.005);
    EXPECT_NEAR(gamma.variance, shape, 0.05 * shape + 0.01);
  }
}

TEST(Rng, BelowCoversItsRangeEvenly) {
  Rng rng(3, Stream::kTest);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(Rng, PermutationHoldsEveryNumberOnce) {
  Rng rng(3, Stream::kTest);
  std::vector<std::uint32_t> order = rng.permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace cone
