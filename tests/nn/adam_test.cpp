#include "nn/adam.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cone::nn {
namespace {

/// One weight tensor of two numbers and one bias of one.
struct SmallStore {
  SmallStore() {
    ParameterLayout layout;
    layout.add_weight("weight", 1, 2);
    layout.add_bias("bias", 1);
    parameters = ParameterStore<double>(layout);
    const double start[3] = {1, -2, 3};
    std::copy(start, start + 3, parameters.values().begin());
  }
  void set_gradients(double a, double b, double c) {
    parameters.gradients()[0] = a;
    parameters.gradients()[1] = b;
    parameters.gradients()[2] = c;
  }

  Context context{{.threads = 1}};
  ParameterStore<double> parameters;
};

TEST(Adam, FollowsThePublishedRecursionOverTwoSteps) {
  SmallStore store;
  Adam<double> adam({.learning_rate = 0.1}, 3);
  double value = 1;
  double first = 0;
  double second = 0;
  for (int step = 1; step <= 2; ++step) {
    const double g = step == 1 ? 4.0 : -1.0;
    store.set_gradients(g, 1, 1);
    adam.step(store.context, store.parameters);
    first = 0.9 * first + 0.1 * g;
    second = 0.999 * second + 0.001 * g * g;
    value -= 0.1 * (first / (1 - std::pow(0.9, step))) /
             (std::sqrt(second / (1 - std::pow(0.999, step))) + 1e-8);
    EXPECT_NEAR(store.parameters.values()[0], value, 1e-14);
  }
}

TEST(Adam, DecaysWeightsButNotBiases) {
  SmallStore store;
  Adam<double> adam({.learning_rate = 0.1, .weight_decay = 0.5}, 3);
  store.set_gradients(0, 0, 0);
  adam.step(store.context, store.parameters);
  EXPECT_DOUBLE_EQ(store.parameters.values()[0], 0.95);
  EXPECT_DOUBLE_EQ(store.parameters.values()[1], -1.9);
  EXPECT_DOUBLE_EQ(store.parameters.values()[2], 3);
}

TEST(Adam, ClippingScalesALargeGradientOnly) {
  // With a large epsilon the norm of a step is proportional to that of the gradient.
  const AdamOptions plain = {.learning_rate = 1, .epsilon = 1e6};
  AdamOptions clipped = plain;
  clipped.clip_gradient = 5;
  const auto moved = [](const AdamOptions& options, double scale) {
    SmallStore store;
    Adam<double> adam(options, 3);
    store.set_gradients(3 * scale, 0, 4 * scale);
    adam.step(store.context, store.parameters);
    return 3 - store.parameters.values()[2];
  };
  EXPECT_DOUBLE_EQ(moved(clipped, 0.5), moved(plain, 0.5));
  EXPECT_NEAR(moved(clipped, 100), moved(plain, 1), 1e-15);
  EXPECT_GT(moved(plain, 100), 50 * moved(plain, 1));
}

TEST(GradientNorm, IsTheNormOverAllTensors) {
  SmallStore store;
  store.set_gradients(2, 3, 6);
  EXPECT_DOUBLE_EQ(gradient_norm(store.context, store.parameters), 7);
}

}  // namespace
}  // namespace cone::nn
