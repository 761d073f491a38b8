#include <algorithm>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
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
        policy(two_arm_probabilities(testing::vector_of(fixture["policy"]))),
        propensity(two_arm_probabilities(testing::vector_of(fixture["propensity"]))),
        mu(join_arms(std::vector{testing::vector_of(fixture["outcome_model_0"]),
                                 testing::vector_of(fixture["outcome_model_1"])})),
        weights(importance_weights(treatment, policy.view(), propensity.view())),
        m(expected_outcome(policy.view(), mu.view())),
        r(residuals(treatment, outcome, mu.view())) {}

  void expect(const char* key, double value) const {
    EXPECT_NEAR(value, expected[key].get<double>(), kTolerance) << key;
  }

  nlohmann::json fixture;
  nlohmann::json expected;
  std::vector<Arm> treatment;
  std::vector<double> outcome;
  Matrix<double> policy, propensity, mu;
  std::vector<double> weights, m, r;
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

TEST_F(EstimatorsFixture, TheMeanOfTheScoresUnderThePolicyIsTheDoublyRobustValue) {
  const Matrix<double> scores =
      doubly_robust_scores(treatment, outcome, mu.view(), propensity.view());
  expect("dr", mean(expected_outcome(policy.view(), scores.view())));
}

TEST_F(EstimatorsFixture, WeightDiagnosticsMatch) {
  expect("effective_sample_size", effective_sample_size(weights));
  expect("max_weight", *std::max_element(weights.begin(), weights.end()));
}

}  // namespace
}  // namespace cone
