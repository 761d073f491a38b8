#include <gtest/gtest.h>

#include "estimate/significance.hpp"
#include "support/fixture.hpp"

namespace cone {
namespace {

TEST(OneTailedTestsFixture, PairedAndWelchMatch) {
  const nlohmann::json fixture = testing::read_fixture("one_tailed_tests.json");
  const auto a = testing::vector_of(fixture["errors_a"]);
  const auto b = testing::vector_of(fixture["errors_b"]);
  const TestResult paired = paired_t_test_less(a, b);
  EXPECT_NEAR(paired.t, fixture["paired_t"].get<double>(), 1e-9);
  EXPECT_NEAR(paired.p, fixture["paired_p"].get<double>(), 1e-9);
  const TestResult welch = welch_t_test_less(a, b);
  EXPECT_NEAR(welch.t, fixture["welch_t"].get<double>(), 1e-9);
  EXPECT_NEAR(welch.p, fixture["welch_p"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace cone
