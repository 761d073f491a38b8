#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/matrix.hpp"

#include "support/small_data.hpp"

namespace cone {
namespace {

TEST(SparseMatrix, RefusesArraysThatAreNotAMatrix) {
  EXPECT_THROW(SparseMatrix(2, {0, 1}, {2}, {1.0}), Error);          // column out of range
  EXPECT_THROW(SparseMatrix(3, {0, 2}, {1, 1}, {1.0, 1.0}), Error);  // repeated column
  EXPECT_THROW(SparseMatrix(3, {0, 2, 1}, {0}, {1.0}), Error);       // offsets descend
  EXPECT_THROW(SparseMatrix(3, {0, 1}, {0}, {}), Error);             // lengths disagree
}

TEST(SparseMatrix, TransposingTwiceGivesTheMatrixBack) {
  const SparseMatrix x = testing::sparse_from_rows({{0, 1, 2}, {0, 0, 0}, {3, 0, 4}, {0, 5, 0}});
  const SparseMatrix t = x.transposed();
  EXPECT_EQ(t.rows(), 3U);
  EXPECT_EQ(t.row(1).size(), 2U);
  EXPECT_EQ(t.row(1).columns[1], 3U);
  const SparseMatrix back = t.transposed();
  EXPECT_TRUE(std::equal(x.values().begin(), x.values().end(), back.values().begin()));
  EXPECT_TRUE(std::equal(x.columns().begin(), x.columns().end(), back.columns().begin()));
}

TEST(SparseMatrix, SelectsRowsInTheOrderAsked) {
  const SparseMatrix x = testing::sparse_from_rows({{1, 0}, {0, 2}, {3, 0}});
  const std::vector<std::uint32_t> rows = {2, 0};
  const SparseMatrix picked = x.select_rows(rows);
  EXPECT_EQ(picked.row(0).values[0], 3);
  EXPECT_EQ(picked.row(1).values[0], 1);
}

}  // namespace
}  // namespace cone
