#include "nn/losses.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/dataset.hpp"

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

/// Logits and gradients of a few nodes.
struct ArmLosses {
  Matrix<double> logit;
  std::vector<Arm> arm;
  Matrix<double> gradient;

  ArmLosses(std::size_t num_arms, std::vector<Arm> arms)
      : logit(arms.size(), num_arms - 1), arm(std::move(arms)), gradient(logit) {}
  double loss(double weight) {
    return arm_cross_entropy<double>(std::as_const(logit).view(), arm, weight, gradient.view());
  }
};

TEST(ArmCrossEntropy, EqualsTheLogLikelihoodAndItsGradient) {
  for (const std::size_t num_arms : {2, 3, 5}) {
    ArmLosses losses(num_arms, {1, 0, 1, 1, 0, 0, static_cast<Arm>(num_arms - 1)});
    const std::vector<double> drawn = normals(losses.logit.values().size(), 0);
    std::copy(drawn.begin(), drawn.end(), losses.logit.values().begin());
    double expected = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      double total = 1;
      for (const double x : losses.logit.row(i)) total += std::exp(x);
      const Arm arm = losses.arm[i];
      expected -= std::log((arm == 0 ? 1 : std::exp(losses.logit(i, arm - 1))) / total) / 7;
    }
    EXPECT_NEAR(losses.loss(2), expected, 1e-14);
    const Matrix<double> gradient = losses.gradient;
    for (std::size_t k = 0; k < gradient.values().size(); ++k) {
      const double slope =
          central_difference(losses.logit.values()[k], [&] { return losses.loss(1); });
      EXPECT_NEAR(gradient.values()[k], 2 * slope, 1e-9);
    }
  }
}

TEST(ArmCrossEntropy, StaysFiniteForLogitsOfAnySize) {
  for (const std::size_t num_arms : {2, 3}) {
    ArmLosses losses(num_arms, {1, 1});
    losses.logit(0, 0) = -800;
    losses.logit(1, 0) = 800;
    if (num_arms == 3) losses.logit(0, 1) = losses.logit(1, 1) = -900;
    EXPECT_DOUBLE_EQ(losses.loss(1), 400);
    EXPECT_DOUBLE_EQ(losses.gradient(0, 0), -0.5);
    EXPECT_DOUBLE_EQ(losses.gradient(1, 0), 0);
  }
}

TEST(ArmCrossEntropy, WithAnImpossibleThirdArmIsThatOfTwo) {
  ArmLosses two(2, {1, 0, 1});
  ArmLosses three(3, {1, 0, 1});
  for (std::size_t i = 0; i < 3; ++i) {
    two.logit(i, 0) = three.logit(i, 0) = static_cast<double>(i) - 0.7;
    three.logit(i, 1) = -1000;
  }
  EXPECT_NEAR(two.loss(1), three.loss(1), 1e-15);
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
