#include "cone/represent/feature_scaling.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/small_data.hpp"

namespace cone {
namespace {

TEST(FeatureScaling, GivesBagsOfWordsACommonSum) {
  const auto values = scaled_features(
      testing::sparse_from_rows({{1, 0, 3, 0, 0}, {0, 0, 0, 0, 700}, {0, 0, 0, 0, 0}}));
  EXPECT_EQ(values, (std::vector<double>{25, 75, 100}));
}

TEST(FeatureScaling, GivesMeasurementsACommonSpreadWhateverTheirUnits) {
  const auto scaled =
      scaled_features(testing::sparse_from_rows({{1e-3, 5e200}, {-1e-3, 1e200}, {2e-3, 2e200}}));
  const auto other_units = scaled_features(testing::sparse_from_rows({{1, 5}, {-1, 1}, {2, 2}}));
  double squares = 0;
  for (std::size_t k = 0; k < scaled.size(); k += 2) squares += scaled[k] * scaled[k];
  EXPECT_NEAR(squares, 3, 1e-12);
  for (std::size_t k = 0; k < scaled.size(); ++k) EXPECT_NEAR(scaled[k], other_units[k], 1e-12);
}

}  // namespace
}  // namespace cone
