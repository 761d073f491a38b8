#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace cone {
namespace {

using Row = std::vector<std::uint64_t>;

std::array<std::uint64_t, 2> sum_of(const std::vector<Row>& rows) {
  RowChecksum checksum;
  for (const Row& row : rows) {
    for (const std::uint64_t value : row) checksum.put(value);
    checksum.end_row();
  }
  return checksum.sums();
}

TEST(RowChecksum, IsTheSumOverRowsInAnyOrder) {
  const std::vector<Row> rows = {{0, 7, 3}, {1, 2}, {2}};
  const auto whole = sum_of(rows);
  EXPECT_EQ(sum_of({rows[2], rows[0], rows[1]}), whole);
  const auto first = sum_of({rows[0]});
  const auto others = sum_of({rows[1], rows[2]});
  for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_EQ(first[k] + others[k], whole[k]);
}

TEST(RowChecksum, DependsOnWhatIsInWhichRow) {
  const auto expected = sum_of({{0, 7, 3}, {1, 2}});
  EXPECT_NE(sum_of({{0, 7}, {3, 1, 2}}), expected);  // the same values, cut elsewhere
  EXPECT_NE(sum_of({{1, 7, 3}, {0, 2}}), expected);  // two rows exchanged
  EXPECT_NE(sum_of({{0, 3, 7}, {1, 2}}), expected);
  EXPECT_NE(sum_of({{0, 7, 3}}), expected);
}

}  // namespace
}  // namespace cone
