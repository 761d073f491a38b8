#include "nn/losses.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "nn/gradient_check.hpp"

namespace cone::nn {
namespace {

using testing::central_difference;

std::vector<double> normals(std::size_t count, std::uint64_t item) {
  Rng rng(3, Stream::kTest, item);
  std::vector<double> values(count);
  for (double& value : values) value = rng.normal();
  return values;
}

TEST(MeanSquaredError, IsTheMeanOfSquaresWithItsWeightedGradient) {
  const std::vector<double> target = {1, 2, 5};
  std::vector<double> prediction = {2, 2, 3};
  std::vector<double> gradient(3);
  EXPECT_DOUBLE_EQ(mean_squared_error<double>(prediction, target, 0.5, gradient), 5.0 / 3);
  EXPECT_DOUBLE_EQ(gradient[0], 0.5 * 2 * 1 / 3);
  EXPECT_DOUBLE_EQ(gradient[1], 0);
  EXPECT_DOUBLE_EQ(gradient[2], 0.5 * 2 * -2 / 3);
}

TEST(BinaryCrossEntropy, EqualsTheLogLikelihoodAndItsGradient) {
  std::vector<double> logit = normals(7, 0);
  const std::vector<double> label = {1, 0, 1, 1, 0, 0, 1};
  std::vector<double> gradient(7);
  double expected = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    const double p = 1 / (1 + std::exp(-logit[i]));
    expected -= (label[i] * std::log(p) + (1 - label[i]) * std::log(1 - p)) / 7;
  }
  EXPECT_NEAR(binary_cross_entropy<double>(logit, label, 2, gradient), expected, 1e-14);
  std::vector<double> ignored(7);
  for (std::size_t i = 0; i < 7; ++i) {
    const double slope = central_difference(
        logit[i], [&] { return binary_cross_entropy<double>(logit, label, 1, ignored); });
    EXPECT_NEAR(gradient[i], 2 * slope, 1e-9);
  }
}

TEST(BinaryCrossEntropy, StaysFiniteForLogitsOfAnySize) {
  const std::vector<double> logit = {-800, 800};
  const std::vector<double> label = {1, 1};
  std::vector<double> gradient(2);
  EXPECT_DOUBLE_EQ(binary_cross_entropy<double>(logit, label, 1, gradient), 400);
  EXPECT_DOUBLE_EQ(gradient[0], -0.5);
  EXPECT_DOUBLE_EQ(gradient[1], 0);
}

TEST(DonskerVaradhan, IsMinusTheBoundWithItsGradients) {
  std::vector<double> joint = normals(6, 1);
  std::vector<double> marginal = normals(6, 2);
  std::vector<double> d_joint(6);
  std::vector<double> d_marginal(6);
  const double value = negative_donsker_varadhan<double>(joint, marginal, 0.3, d_joint, d_marginal);
  double joint_mean = 0;
  double exp_mean = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    joint_mean += joint[i] / 6;
    exp_mean += std::exp(marginal[i]) / 6;
  }
  EXPECT_NEAR(value, std::log(exp_mean) - joint_mean, 1e-14);
  std::vector<double> ignored_joint(6);
  std::vector<double> ignored_marginal(6);
  const auto loss = [&] {
    return negative_donsker_varadhan<double>(joint, marginal, 1, ignored_joint, ignored_marginal);
  };
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(d_joint[i], 0.3 * central_difference(joint[i], loss), 1e-9);
    EXPECT_NEAR(d_marginal[i], 0.3 * central_difference(marginal[i], loss), 1e-9);
  }
}

TEST(DonskerVaradhan, DoesNotChangeWhenAConstantIsAddedHoweverLarge) {
  const std::vector<float> joint = {1, 2, 3};
  const std::vector<float> marginal = {0, 1, -1};
  std::vector<float> shifted_joint = joint;
  std::vector<float> shifted_marginal = marginal;
  for (float& value : shifted_joint) value += 4096;
  for (float& value : shifted_marginal) value += 4096;
  std::vector<float> d_joint(3);
  std::vector<float> d_marginal(3);
  const double value = negative_donsker_varadhan<float>(joint, marginal, 1, d_joint, d_marginal);
  EXPECT_NEAR(
      negative_donsker_varadhan<float>(shifted_joint, shifted_marginal, 1, d_joint, d_marginal),
      value, 1e-9);
}

}  // namespace
}  // namespace cone::nn
