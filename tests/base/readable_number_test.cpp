#include "base/readable_number.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace cone {
namespace {

TEST(ReadableNumber, PercentHasNoSignOnNothing) {
  EXPECT_EQ(share_in_percent(0.123), "12.3 %");
  EXPECT_EQ(share_in_percent(-0.123), "-12.3 %");
  EXPECT_EQ(share_in_percent(-1e-17), "0.0 %");
  EXPECT_EQ(share_in_percent(-0.0004), "0.0 %");
  EXPECT_EQ(share_in_percent(-0.0006), "-0.1 %");
  EXPECT_EQ(share_in_percent(-0.004, 0), "0 %");
  EXPECT_EQ(share_in_percent(1, 0), "100 %");
}

TEST(ReadableNumber, ShortNumbersOfMillionsHaveNoExponent) {
  EXPECT_EQ(readable_number(1'000'000), "1000000");
  EXPECT_EQ(readable_number(-1'234'567.8), "-1234568");
  EXPECT_EQ(readable_number(9999.4), "9999");
  EXPECT_EQ(readable_number(9999.6), "10000");
  EXPECT_EQ(readable_number(0.123456), "0.1235");
  EXPECT_EQ(readable_number(-0.0), "0");
  EXPECT_EQ(readable_number(1e20), "1e+20");
}

}  // namespace
}  // namespace cone
