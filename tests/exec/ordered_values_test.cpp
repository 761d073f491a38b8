#include "exec/ordered_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/thread_communicator.hpp"

namespace cone {
namespace {

/// Values of all signs and sizes, many of them equal.
std::vector<double> draw_values(std::size_t n) {
  Rng rng(4, Stream::kTest);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0.0, -0.0, kInfinity, -kInfinity, 5e-324, -5e-324, 1e308};
  while (values.size() < n) {
    const double x = rng.normal() * std::pow(10.0, 4 * rng.normal());
    values.push_back(values.size() % 3 == 0 ? std::round(rng.normal()) : x);
  }
  return values;
}

/// Every `size`-th value, from `rank` on; the last of more than two ranks has none.
std::vector<double> part_of(const std::vector<double>& all, std::size_t rank, std::size_t size) {
  std::vector<double> part;
  const std::size_t num_owners = size > 2 ? size - 1 : size;
  for (std::size_t i = rank; rank < num_owners && i < all.size(); i += num_owners)
    part.push_back(all[i]);
  return part;
}

class OrderedValuesTest : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OrderedValuesTest, ::testing::Values(1, 2, 5));

TEST_P(OrderedValuesTest, IndicesAreThoseOfOneSortedList) {
  const std::vector<double> all = draw_values(500);
  std::vector<double> sorted = all;
  std::ranges::sort(sorted);
  std::vector<std::uint64_t> indices(all.size());
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  testing::run_on_ranks(GetParam(), [&](const Communicator& comm) {
    const OrderedValues list(part_of(all, comm.rank(), comm.size()), comm);
    EXPECT_EQ(list.size(), all.size());
    EXPECT_EQ(list.at(indices), sorted);
    EXPECT_EQ(list.at({}), std::vector<double>{});
    for (const double limit : {-3.0, 0.0, 1.0}) {
      EXPECT_EQ(list.count_above(limit),
                std::ranges::count_if(sorted, [&](double v) { return v > limit; }));
    }
  });
}

TEST_P(OrderedValuesTest, TheLastValuesAreTakenOnceEach) {
  std::vector<double> all = draw_values(200);
  std::erase_if(all, [](double v) { return std::isinf(v) || std::abs(v) > 1e6; });
  std::vector<double> sorted = all;
  std::ranges::sort(sorted);
  testing::run_on_ranks(GetParam(), [&](const Communicator& comm) {
    const OrderedValues list(part_of(all, comm.rank(), comm.size()), comm);
    for (std::size_t count = 0; count <= all.size(); ++count) {  // cuts through equal values too
      const std::span<const double> last = list.last(count);
      EXPECT_TRUE(std::ranges::is_sorted(last));
      std::vector<double> gathered = comm.allgatherv(last);
      std::ranges::sort(gathered);
      EXPECT_TRUE(std::ranges::equal(gathered, std::span(sorted).last(count))) << count;
    }
  });
}

TEST(EvenGroups, OfSeveralRanksAreThoseOfOne) {
  Rng rng(6, Stream::kTest);
  std::vector<double> values;
  for (std::size_t i = 0; i < 300; ++i) values.push_back(std::round(6 * rng.normal()));
  const auto alone = group_evenly(values, 10, Communicator::self());
  EXPECT_LT(alone.size(), 11U);
  testing::run_on_ranks(3, [&](const Communicator& comm) {
    std::vector<double> here;
    for (std::size_t i = comm.rank(); i < values.size(); i += 3) here.push_back(values[i]);
    const auto groups = group_evenly(here, 10, comm);
    ASSERT_EQ(groups.size(), alone.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<std::size_t> expected;
      for (const std::size_t i : alone[g]) {
        if (i % 3 == comm.rank()) expected.push_back(i / 3);
      }
      EXPECT_EQ(groups[g], expected);
    }
  });
}

}  // namespace
}  // namespace cone
