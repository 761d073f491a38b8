#include "nuisance/encoder_input.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/small_data.hpp"

namespace cone {
namespace {

FeatureTable table(const std::vector<std::vector<double>>& rows, std::size_t num_dense) {
  FeatureTable features;
  features.matrix = testing::sparse_from_rows(rows);
  features.num_dense = num_dense;
  return features;
}

std::vector<double> values_of(const SparseMatrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

TEST(EncoderInput, CountsBecomePercentagesOfTheirRow) {
  const SparseMatrix input =
      encoder_input(table({{1, 0, 3, 0, 0}, {0, 0, 0, 0, 700}, {0, 0, 0, 0, 0}}, 0));
  EXPECT_EQ(values_of(input), (std::vector<double>{25, 75, 100}));
  EXPECT_EQ(input.row(2).size(), 0U);
}

TEST(EncoderInput, MultiplyingAllCountsChangesNothing) {
  const SparseMatrix plain = encoder_input(table({{1, 2, 0}, {0, 5, 7}}, 0));
  const SparseMatrix tripled = encoder_input(table({{3, 6, 0}, {0, 15, 21}}, 0));
  EXPECT_EQ(values_of(plain), values_of(tripled));
}

TEST(EncoderInput, NumericFeaturesHaveMeanZeroAndUnitVarianceWhateverTheirUnitAndZero) {
  const SparseMatrix plain = encoder_input(table({{1, 5}, {-1, 1}, {0, 2}, {2, 0}}, 2));
  const SparseMatrix moved =
      encoder_input(table({{1991e-3, 5e90}, {1989e-3, 1e90}, {1990e-3, 2e90}, {1992e-3, 0}}, 2));
  ASSERT_EQ(plain.num_entries(), 8U);  // zeros are stored too
  ASSERT_EQ(moved.num_entries(), 8U);
  for (const SparseMatrix* input : {&plain, &moved}) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      double squares = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        sum += input->row(i).values[j];
        squares += input->row(i).values[j] * input->row(i).values[j];
      }
      EXPECT_NEAR(sum, 0, 1e-9);
      EXPECT_NEAR(squares, 4, 1e-9);
    }
  }
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(plain.values()[k], moved.values()[k], 1e-9);
  }
}

// A table of age and dummies looks like a bag of words: no negatives, under half filled.
TEST(EncoderInput, DummiesAreNotTreatedAsCounts) {
  const SparseMatrix input =
      encoder_input(table({{40, 1, 0, 0, 0}, {20, 0, 1, 0, 0}, {30, 0, 0, 1, 0}}, 5));
  EXPECT_NEAR(input.row(0).values[0], 10 / std::sqrt(200.0 / 3), 1e-12);
  EXPECT_NEAR(input.row(2).values[0], 0, 1e-12);
}

TEST(EncoderInput, ADummyMayBeCodedEitherWay) {
  const SparseMatrix smokers = encoder_input(table({{1}, {0}, {0}, {0}, {1}}, 1));
  const SparseMatrix others = encoder_input(table({{3}, {5}, {5}, {5}, {3}}, 1));
  ASSERT_EQ(smokers.num_entries(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(smokers.values()[k], others.values()[k], 1e-12);
  }
}

TEST(EncoderInput, AColumnThatIsConstantUpToRoundingIsLeftEmpty) {
  const double nearly = 0.3 * (1 + 4e-16);
  const SparseMatrix input = encoder_input(table({{0.3, 1, 7}, {nearly, 2, 7}, {0.3, 3, 7}}, 3));
  EXPECT_EQ(input.num_entries(), 3U);
  EXPECT_EQ(input.row(1).columns[0], 1U);
}

TEST(EncoderInput, NumericFeaturesAndCountsOfOneRowDoNotMix) {
  const SparseMatrix input = encoder_input(table({{5, 1, 1}, {7, 0, 4}}, 1));
  EXPECT_EQ(values_of(input), (std::vector<double>{-1, 50, 50, 1, 100}));
}

}  // namespace
}  // namespace cone
