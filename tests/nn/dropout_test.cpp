#include "nn/dropout.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace cone::nn {
namespace {

std::vector<float> dropped(const Dropout& dropout, std::uint64_t layer, int threads) {
  Matrix<float> x(dropout.row_keys.size(), 50, 1.0F);
  apply_dropout(Context({.threads = threads}), dropout, layer, x.view());
  return {x.values().begin(), x.values().end()};
}

class DropoutOfAThousandRows : public ::testing::Test {
 protected:
  DropoutOfAThousandRows() {
    for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(i * i);
  }
  std::vector<std::uint64_t> keys;
};

TEST_F(DropoutOfAThousandRows, KeepsItsShareAndTheMean) {
  const auto values = dropped({.rate = 0.3, .seed = 1, .epoch = 5, .row_keys = keys}, 1, 2);
  std::size_t num_zero = 0;
  for (const float value : values) {
    if (value == 0) {
      ++num_zero;
    } else {
      EXPECT_FLOAT_EQ(value, 1 / 0.7F);
    }
  }
  EXPECT_NEAR(static_cast<double>(num_zero), 0.3 * 50000, 500);  // five standard deviations
}

TEST_F(DropoutOfAThousandRows, DependsOnSeedEpochAndLayerAndNotOnThreads) {
  const Dropout dropout = {.rate = 0.5, .seed = 1, .epoch = 5, .row_keys = keys};
  const auto values = dropped(dropout, 1, 1);
  EXPECT_EQ(values, dropped(dropout, 1, 3));
  EXPECT_NE(values, dropped(dropout, 2, 1));
  Dropout other = dropout;
  other.epoch = 6;
  EXPECT_NE(values, dropped(other, 1, 1));
  other = dropout;
  other.seed = 2;
  EXPECT_NE(values, dropped(other, 1, 1));
}

}  // namespace
}  // namespace cone::nn
