#include <gtest/gtest.h>

#include "cone/dataset.hpp"
#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"
#include "support/fixture.hpp"

namespace cone {
namespace {

class KernelBalancingFixture : public ::testing::Test {
 protected:
  KernelBalancingFixture()
      : fixture(testing::read_fixture("kernel_balancing.json")),
        treatment(testing::vector_of<std::uint8_t>(fixture["treatment"])),
        outcome(testing::vector_of(fixture["outcome"])),
        policy(testing::vector_of(fixture["policy"])),
        features(fixture["x"].size(), fixture["x"][0].size()) {
    for (std::size_t i = 0; i < features.rows(); ++i) {
      for (std::size_t c = 0; c < features.cols(); ++c) features(i, c) = fixture["x"][i][c];
    }
  }

  void expect(const std::string& variant, bool normalised) const {
    const Context context({.threads = 1});
    const KernelBalancing balancing(context, features.view(), treatment, 2,
                                    {.kernel_bandwidth = 1,
                                     .kernel_unit = BandwidthUnit::kAbsolute,
                                     .kernel_lambda = fixture["gamma"],
                                     .kernel_normalised = normalised});
    const BalancedValue result =
        balancing.value(context, outcome, two_arm_probabilities(policy).view());
    EXPECT_NEAR(result.value, fixture["value_" + variant].get<double>(), 1e-6);
    const std::vector<double> weights = testing::vector_of(fixture["weights_" + variant]);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(result.weights[i], weights[i], 1e-6) << i;
    }
  }

  nlohmann::json fixture;
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome, policy;
  Matrix<double> features;
};

TEST_F(KernelBalancingFixture, UnconstrainedMatches) { expect("unconstrained", false); }

TEST_F(KernelBalancingFixture, NormalisedMatches) { expect("normalised", true); }

}  // namespace
}  // namespace cone
