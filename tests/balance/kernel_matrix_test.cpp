#include "balance/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace cone {
namespace {

/// The median by sorting all distances.
double sorted_median(const Matrix<double>& squared) {
  std::vector<double> all;
  for (std::size_t i = 0; i < squared.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (squared(i, j) > 0) all.push_back(squared(i, j));
    }
  }
  std::sort(all.begin(), all.end());
  const std::size_t half = all.size() / 2;
  if (all.size() % 2 == 1) return std::sqrt(all[half]);
  return 0.5 * (std::sqrt(all[half]) + std::sqrt(all[half - 1]));
}

TEST(MedianDistance, IsTheMedianOfThePositiveDistances) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t n = 2 + seed * 5;
    Matrix<double> squared(n, n);
    for (double& value : squared.values()) {
      // Ties, zeros and many orders of magnitude, in turn.
      value = seed % 2 == 0 ? static_cast<double>(random() % 4)
                            : std::exp2(static_cast<double>(random() % 2000) / 7 - 140);
    }
    squared(1, 0) = 3;
    EXPECT_EQ(median_distance(Context({.threads = 1 + static_cast<int>(seed % 3)}), squared),
              sorted_median(squared))
        << seed;
  }
}

TEST(MedianDistance, IsOneWhereNoTwoRowsDiffer) {
  EXPECT_EQ(median_distance(Context({.threads = 1}), Matrix<double>(5, 5)), 1);
}

}  // namespace
}  // namespace cone
