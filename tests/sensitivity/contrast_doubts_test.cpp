#include "sensitivity/contrast_doubts.hpp"

#include <gtest/gtest.h>

namespace cone {
namespace {

PolicySensitivity estimates(double value, double ridge_value, double standard_error) {
  PolicySensitivity found;
  found.policy = "coupons";
  found.value = value;
  found.ridge_value = ridge_value;
  found.standard_error = standard_error;
  return found;
}

TEST(Agreement, IsDoubtedBeyondTwoStandardErrors) {
  EXPECT_FALSE(doubt_agreement(estimates(1, 1.19, 0.1)));
  const auto far_below = doubt_agreement(estimates(1, 0.79, 0.1));
  ASSERT_TRUE(far_below);
  EXPECT_NE(far_below->find("coupons: the doubly robust estimate (1) and the network ridge (0.79)"),
            std::string::npos);
  EXPECT_TRUE(doubt_agreement(estimates(1, 1.21, 0.1)));
  EXPECT_FALSE(doubt_agreement(estimates(0, 0, 0)));  // the logged policy
}

}  // namespace
}  // namespace cone
