// Agreement with DoubleML on shared arrays (scripts/sensitivity_reference.py).

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cone/sensitivity.hpp"

#include "support/fixture.hpp"

namespace cone {
namespace {

using Json = nlohmann::json;
using testing::read_fixture;
using testing::vector_of;

constexpr double kTolerance = 1e-9;

class DoubleMl : public ::testing::Test {
 protected:
  static Matrix<double> two_columns(const std::vector<double>& zero,
                                    const std::vector<double>& one) {
    Matrix<double> out(zero.size(), 2);
    for (std::size_t i = 0; i < zero.size(); ++i) {
      out(i, 0) = zero[i];
      out(i, 1) = one[i];
    }
    return out;
  }
  static Matrix<double> propensities(const Json& json) {
    std::vector<double> one = vector_of(json["propensity"]);
    std::vector<double> zero;
    for (const double e : one) zero.push_back(1 - e);
    return two_columns(zero, one);
  }
  LoggedTables tables() const { return {arm_, outcome_, mu_.view(), e_.view()}; }
  LoggedTables short_tables() const { return {arm_, outcome_, short_mu_.view(), short_e_.view()}; }

  /// The case's weights as a difference of two tables.
  Contrast contrast(const std::string& name) {
    const std::size_t n = arm_.size();
    policy_ = Matrix<double>(n, 2);
    against_ = Matrix<double>(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      const double delta = name == "weighted" ? delta1_[i] : 1;
      policy_(i, 1) = delta;
      if (name != "treat_all") against_(i, 0) = delta;
    }
    return {.policy = policy_.view(), .reference = Reference::kPolicy, .against = against_.view()};
  }

  const Json fixture_ = read_fixture("sensitivity.json");
  const std::vector<Arm> arm_ = vector_of<Arm>(fixture_["treatment"]);
  const std::vector<double> outcome_ = vector_of(fixture_["outcome"]);
  const std::vector<double> delta1_ = vector_of(fixture_["delta1"]);
  const Matrix<double> mu_ = two_columns(vector_of(fixture_["mu0"]), vector_of(fixture_["mu1"]));
  const Matrix<double> e_ = propensities(fixture_);
  const Matrix<double> short_mu_ =
      two_columns(vector_of(fixture_["short"]["mu0"]), vector_of(fixture_["short"]["mu1"]));
  const Matrix<double> short_e_ = propensities(fixture_["short"]);
  Matrix<double> policy_;
  Matrix<double> against_;
};

/// One-sided at 95 %, and the factor that turns n − 1 in the variance into DoubleML's n.
double doubleml_quantile(std::size_t n) {
  const auto size = static_cast<double>(n);
  return 1.6448536269514722 * std::sqrt((size - 1) / size);
}

TEST_F(DoubleMl, BoundsAndRobustnessValuesAgree) {
  const MarginalModel model(tables(), Matrix<double>(arm_.size(), 2, 1.0));
  for (const auto& [name, expected] : fixture_["cases"].items()) {
    const Contrast delta = contrast(name);
    const double theta = model.estimate(delta).value;
    const ConfoundingScale scale = confounding_scale(tables(), delta);
    EXPECT_NEAR(theta, expected["theta"].get<double>(), kTolerance) << name;
    EXPECT_NEAR(scale.sigma2, expected["sigma2"].get<double>(), kTolerance) << name;
    EXPECT_NEAR(scale.nu2, expected["nu2"].get<double>(), kTolerance) << name;
    const double null = expected["null"];
    EXPECT_NEAR(robustness_value(theta - null, scale.total), expected["rv"].get<double>(),
                kTolerance)
        << name;
    for (const Json& bound : expected["bounds"]) {
      const double bias = bias_bound(scale.total, bound["cf_y"], bound["cf_d"], bound["rho"]);
      EXPECT_NEAR(theta - bias, bound["lower"].get<double>(), kTolerance) << name;
      EXPECT_NEAR(theta + bias, bound["upper"].get<double>(), kTolerance) << name;
    }
  }
}

TEST_F(DoubleMl, StandardErrorsAgreeButForTheEndTheyArePrintedAt) {
  const MarginalModel model(tables(), Matrix<double>(arm_.size(), 2, 1.0));
  const double to_n = doubleml_quantile(arm_.size()) / 1.6448536269514722;
  for (const char* name : {"treat_all", "difference"}) {
    const Json& expected = fixture_["cases"][name];
    const Contrast delta = contrast(name);
    const ContrastEstimate estimate = model.estimate(delta);
    const ConfoundingScale scale = confounding_scale(tables(), delta);
    const WithInfluence value{estimate.value, estimate.population_influence};
    const WithInfluence size{scale.total, scale.total_influence};
    for (const Json& bound : expected["bounds"]) {
      const double multiple = bias_bound(1, bound["cf_y"], bound["cf_d"], bound["rho"]);
      const double lower = to_n * bound_error(value, size, -multiple);
      const double upper = to_n * bound_error(value, size, multiple);
      EXPECT_NEAR(lower, bound["se_lower"].get<double>(), kTolerance);
      EXPECT_NEAR(upper, bound["se_upper"].get<double>(), kTolerance);
      EXPECT_NEAR(lower, bound["se_as_printed_upper"].get<double>(), kTolerance);
      EXPECT_NEAR(estimate.value - multiple * scale.total - 1.6448536269514722 * lower,
                  bound["ci_lower"].get<double>(), kTolerance);
    }
    EXPECT_NEAR(
        confident_robustness_value(value, size, expected["null"], doubleml_quantile(arm_.size())),
        expected["rva"].get<double>(), kTolerance)
        << name;
  }
}

TEST_F(DoubleMl, BenchmarksAgree) {
  for (const char* name : {"treat_all", "difference"}) {
    const Json& expected = fixture_["cases"][name]["benchmark"];
    const Benchmark found = measure_benchmark("short", tables(), short_tables(), contrast(name));
    EXPECT_NEAR(found.cf_y, expected["cf_y"].get<double>(), kTolerance);
    EXPECT_NEAR(std::clamp(found.nu2_gain, 0.0, 1.0), expected["cf_d"].get<double>(), kTolerance);
  }
}

}  // namespace
}  // namespace cone
