#include "inference/joint_bands.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cone {
namespace {

TEST(JointBands, OneValueHasTheNormalQuantile) {
  Matrix<double> covariance(1, 1, 4.0);
  // Draws scatter around 1.96, but a joint band is never narrower than the pointwise one.
  const double factor = joint_factor(covariance.view(), 0.95, 1, 20000);
  EXPECT_GE(factor, 1.959963984);
  EXPECT_LT(factor, 2.01);
}

TEST(JointBands, IndependentValuesHaveSidaksFactorWhateverTheirSize) {
  Matrix<double> covariance(5, 5, 0.0);
  for (std::size_t k = 0; k < 5; ++k) covariance(k, k) = std::pow(100.0, k);
  // P(|Z| ≤ c)⁵ = 0.95 at c = 2.569.
  EXPECT_NEAR(joint_factor(covariance.view(), 0.95, 3, 40000), 2.569, 0.03);
}

TEST(JointBands, PerfectlyCorrelatedValuesCountOnceAndThoseWithoutErrorNotAtAll) {
  Matrix<double> covariance(4, 4, 0.0);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t k = 0; k < 3; ++k) covariance(j, k) = 2.0;
  }
  EXPECT_NEAR(joint_factor(covariance.view(), 0.95, 3, 40000), 1.96, 0.03);
}

}  // namespace
}  // namespace cone
