#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/matrix.hpp"

#include "base/hash.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// Columns 1 and 3 are full enough to be dense, 0 and 2 are not, and 4 is no candidate.
const std::vector<std::vector<double>> kRows = {
    {0, 1, 0, -1, 3}, {2, 0, 0, 5, 1}, {0, 4, 0, 0, 2}, {0, 7, 0, 0, 9}, {0, 0, 6, 8, 4}};

FeatureMatrix mixed() {
  return store_full_columns_densely(testing::sparse_from_rows(kRows), /*num_candidates=*/4);
}

std::string checksum_of(const FeatureMatrix& x) {
  Checksum checksum;
  x.add_to(checksum);
  return checksum.hex();
}

void expect_same(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.cols(), b.cols());
  EXPECT_TRUE(
      std::equal(a.offsets().begin(), a.offsets().end(), b.offsets().begin(), b.offsets().end()));
  EXPECT_TRUE(
      std::equal(a.columns().begin(), a.columns().end(), b.columns().begin(), b.columns().end()));
  EXPECT_TRUE(
      std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end()));
}

TEST(FeatureMatrix, StoresColumnsDenselyThatAreAQuarterFull) {
  const FeatureMatrix x = mixed();
  EXPECT_EQ(std::vector(x.dense_columns().begin(), x.dense_columns().end()),
            (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(x.dense().values().size_bytes(), 2 * 5 * 8U);  // eight bytes per row and column
  EXPECT_EQ(x.sparse().num_entries(), 2U + 5U);
  EXPECT_EQ(x.num_stored(), 10U + 7U);
  EXPECT_EQ(x.num_entries(), 6U + 7U);
  const FeatureMatrix quarter = store_full_columns_densely(
      testing::sparse_from_rows({{1, 0}, {0, 0}, {0, 0}, {0, 0}}), /*num_candidates=*/2);
  EXPECT_EQ(quarter.dense_columns().size(), 1U);
}

TEST(FeatureMatrix, IsTheSameMatrixHoweverItIsStored) {
  const FeatureMatrix x = mixed();
  const SparseMatrix sparse = testing::sparse_from_rows(kRows);
  EXPECT_EQ(x.rows(), 5U);
  EXPECT_EQ(x.cols(), 5U);
  expect_same(x.to_sparse(), sparse);
  EXPECT_EQ(checksum_of(x), checksum_of(sparse));
  EXPECT_NE(checksum_of(x), checksum_of(testing::sparse_from_rows({{1}})));
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      EXPECT_EQ(x.row(i).at(j), kRows[i][j]);
      EXPECT_EQ(FeatureMatrix(sparse).row(i).at(j), kRows[i][j]);
    }
  }
}

TEST(FeatureMatrix, LongMatricesHaveOneChecksumToo) {
  // Longer than the buffers through which a mixed matrix is hashed.
  std::vector<std::vector<double>> rows(9001);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {i % 3 == 0 ? 0.0 : 1.0 / static_cast<double>(i), i % 7 == 0 ? 2.0 : 0.0, 1};
  }
  const SparseMatrix sparse = testing::sparse_from_rows(rows);
  EXPECT_EQ(checksum_of(store_full_columns_densely(sparse, 3)), checksum_of(sparse));
}

TEST(FeatureMatrix, AZeroThatIsStoredIsAsOneThatIsNot) {
  const SparseMatrix with_zeros(2, {0, 2, 4, 6, 7, 8}, {0, 1, 0, 1, 0, 1, 0, 0},
                                {1, 0, 2, 0, 0, 3, 0, 0});
  const FeatureMatrix x = store_full_columns_densely(with_zeros, 2);
  EXPECT_EQ(std::vector(x.dense_columns().begin(), x.dense_columns().end()),
            (std::vector<std::uint32_t>{0}))
      << "column 1 has one value in five that is not zero";
  EXPECT_EQ(x.row(2).at(0), 0);
  EXPECT_EQ(x.row(2).at(1), 3);
}

TEST(FeatureMatrix, RowsMultiplyAndAddAsTheyShould) {
  const std::vector<double> vector = {1, 10, 100, 1000, 10000};
  const FeatureMatrix x = mixed();
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    double product = 0;
    std::vector<double> sum = vector;
    add_scaled(-2, x.row(i), sum);
    for (std::size_t j = 0; j < 5; ++j) {
      product += kRows[i][j] * vector[j];
      EXPECT_EQ(sum[j], vector[j] - 2 * kRows[i][j]);
    }
    EXPECT_EQ(dot(x.row(i), vector), product);
  }
}

TEST(FeatureMatrix, SelectsRowsScalesAndAppendsColumnsLikeASparseOne) {
  const FeatureMatrix x = mixed();
  const SparseMatrix sparse = testing::sparse_from_rows(kRows);
  const std::vector<std::uint32_t> rows = {4, 0, 0, 2};
  expect_same(x.select_rows(rows).to_sparse(), sparse.select_rows(rows));
  const std::vector<double> factor = {2, 3, 4, 5, 0.5};
  expect_same(x.scale_columns(factor).to_sparse(),
              FeatureMatrix(sparse).scale_columns(factor).sparse());
  const SparseMatrix extra = testing::sparse_from_rows({{1}, {0}, {2}, {0}, {3}});
  const FeatureMatrix wide = x.append_columns(extra);
  EXPECT_EQ(wide.cols(), 6U);
  EXPECT_EQ(wide.row(4).at(5), 3);
  EXPECT_EQ(wide.row(4).at(3), 8);
  expect_same(wide.to_sparse(), FeatureMatrix(sparse).append_columns(extra).sparse());
}

TEST(FeatureMatrix, OfADenseMatrixHasEveryColumnDense) {
  Matrix<double> values(2, 3);
  values(1, 2) = 5;
  const FeatureMatrix x(std::move(values));
  EXPECT_EQ(x.rows(), 2U);
  EXPECT_EQ(x.cols(), 3U);
  EXPECT_EQ(x.row(1).at(2), 5);
  expect_same(x.to_sparse(), testing::sparse_from_rows({{0, 0, 0}, {0, 0, 5}}));
}

TEST(FeatureMatrix, RefusesBlocksThatDisagree) {
  const SparseMatrix sparse = testing::sparse_from_rows({{1, 0}, {2, 0}});
  EXPECT_NO_THROW(FeatureMatrix({1}, Matrix<double>(2, 1), sparse));
  EXPECT_THROW(FeatureMatrix({1}, Matrix<double>(3, 1), sparse), Error);  // other rows
  EXPECT_THROW(FeatureMatrix({1}, Matrix<double>(2, 2), sparse), Error);  // other columns
  EXPECT_THROW(FeatureMatrix({0}, Matrix<double>(2, 1), sparse), Error);  // has sparse entries
  EXPECT_THROW(FeatureMatrix({2}, Matrix<double>(2, 1), sparse), Error);  // out of range
  EXPECT_THROW(FeatureMatrix({1, 1}, Matrix<double>(2, 2), sparse), Error);
}

}  // namespace
}  // namespace cone
