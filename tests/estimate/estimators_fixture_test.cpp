#include <algorithm>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "estimate/estimators.hpp"
#include "estimate/weights.hpp"
#include "support/fixture.hpp"

namespace cone {
namespace {

constexpr double kTolerance = 1e-9;

class EstimatorsFixture : public ::testing::Test {
 protected:
  EstimatorsFixture()
      : fixture(testing::read_fixture("estimators.json")),
        expected(fixture["expected"]),
        treatment(testing::vector_of<std::uint8_t>(fixture["treatment"])),
        outcome(testing::vector_of(fixture["outcome"])),
        policy(testing::vector_of(fixture["policy"])),
        mu0(testing::vector_of(fixture["outcome_model_0"])),
        mu1(testing::vector_of(fixture["outcome_model_1"])),
        weights(importance_weights(treatment, policy, testing::vector_of(fixture["propensity"]))),
        m(expected_outcome(policy, mu0, mu1)),
        r(residuals(treatment, outcome, mu0, mu1)) {}

  void expect(const char* key, double value) const {
    EXPECT_NEAR(value, expected[key].get<double>(), kTolerance) << key;
  }

  nlohmann::json fixture;
  nlohmann::json expected;
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome, policy, mu0, mu1, weights, m, r;
};

TEST_F(EstimatorsFixture, DirectAndWeightedValuesMatch) {
  expect("dm", direct_method(m).value);
  expect("ips", inverse_propensity(weights, outcome).value);
  expect("snips", self_normalised(weights, outcome).value);
  expect("ips_clipped",
         inverse_propensity(clipped_weights(weights, fixture["clip"]), outcome).value);
}

TEST_F(EstimatorsFixture, DoublyRobustFamilyMatches) {
  const ValueAndInfluence plain = doubly_robust(m, weights, r, Correction::kPlain);
  const ValueAndInfluence normalised = doubly_robust(m, weights, r, Correction::kSelfNormalised);
  expect("dr", plain.value);
  expect("dr_self_normalised", normalised.value);
  expect("dr_paper_literal", doubly_robust(m, weights, r, Correction::kLiteral).value);
  expect("dr_standard_error", standard_error(plain.influence));
  expect("dr_self_normalised_standard_error", standard_error(normalised.influence));
  const auto switched = switched_weights(weights, fixture["switch_threshold"]);
  expect("switch_dr", doubly_robust(m, switched, r, Correction::kPlain).value);
  const auto shrunk = shrunk_weights(weights, fixture["shrinkage_lambda"]);
  expect("dr_shrinkage", doubly_robust(m, shrunk, r, Correction::kPlain).value);
}

TEST_F(EstimatorsFixture, WeightDiagnosticsMatch) {
  expect("effective_sample_size", effective_sample_size(weights));
  expect("max_weight", *std::max_element(weights.begin(), weights.end()));
}

}  // namespace
}  // namespace cone
