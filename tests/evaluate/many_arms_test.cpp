// Defaults that depend on the arms: bounds of propensities on their shares, limits of weights on
// their number.
#include <cmath>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/random.hpp"

namespace cone {
namespace {

struct ManyArmsLog {
  LoadedData data;
  std::vector<PolicyOnData> policies;  ///< the last arm for every node
};

/// Randomised data: `draw` maps a uniform number to an arm.
template <class Draw>
ManyArmsLog randomised_log(std::size_t n, std::size_t num_arms, const Draw& draw) {
  ManyArmsLog log;
  Dataset& data = log.data.observed;
  data.ids = IdTable::numbered(n);
  data.arms.clear();
  for (std::size_t a = 0; a < num_arms; ++a) data.arms.push_back(std::to_string(a));
  Rng rng(1, Stream::kTest);
  Matrix<double> x(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : x.row(i)) value = rng.normal();
    data.treatment.push_back(static_cast<Arm>(draw(rng.uniform())));
    data.outcome.push_back(x(i, 0) + 0.1 * data.treatment[i] + rng.normal());
  }
  data.features.names = {"x", "z"};
  data.features.num_dense = 2;
  data.features.matrix = FeatureMatrix(std::move(x));
  data.graph = build_graph(Context({.threads = 1}), n, std::vector<Edge>{});
  Matrix<double> always(n, num_arms, 0.0);
  for (std::size_t i = 0; i < n; ++i) always(i, num_arms - 1) = 1;
  log.policies.push_back({.name = "last", .probability = std::move(always)});
  return log;
}

EvaluationRecord evaluate_log(const ManyArmsLog& log, const EvaluateOptions& options) {
  return evaluate(Context({.threads = 2}), log.data, log.policies, options);
}

const Estimate& estimate_by(const EvaluationRecord& record, std::string_view name) {
  for (const Estimate& e : record.policies.at(0).estimates) {
    if (e.estimator == name) return e;
  }
  throw std::logic_error("no such estimate");
}

TEST(ManyArms, AnArmOfHalfAPercentKeepsItsIntervals) {
  const ManyArmsLog log = randomised_log(6000, 3, [](double u) {
    return u < 0.5 ? 0 : u < 0.995 ? 1 : 2;
  });
  EvaluateOptions options;
  options.estimators = {"snips", "dr_ridge"};
  const EvaluationRecord record = evaluate_log(log, options);
  for (const Estimate& e : record.policies[0].estimates) {
    EXPECT_TRUE(std::isfinite(e.standard_error)) << e.estimator;
    EXPECT_EQ(e.off_support_fraction, 0.0) << e.estimator;
    EXPECT_NEAR(e.value, 0.2, 4 * e.standard_error) << e.estimator;
  }
  const auto& chosen = record.config.at("automatic").at("propensity_bound");
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0], 0.01);
  EXPECT_LT(chosen[2].get<double>(), 0.001);

  options.nuisance.propensity_bound = 0.01;
  const EvaluationRecord absolute = evaluate_log(log, options);
  EXPECT_GT(estimate_by(absolute, "snips").off_support_fraction, 0.9)
      << "a given bound is absolute";
  for (const Estimate& e : absolute.policies[0].estimates) {
    EXPECT_TRUE(std::isnan(e.standard_error)) << e.estimator << ": hence the relative bound";
  }
  EXPECT_FALSE(absolute.config.at("automatic").contains("propensity_bound"));
}

TEST(ManyArms, WeightsUnderUniformAssignmentOfSixteenArmsAreNotClipped) {
  const ManyArmsLog log =
      randomised_log(3200, 16, [](double u) { return static_cast<int>(16 * u); });
  EvaluateOptions options;
  options.estimators = {"ips", "ips_clipped", "switch_dr", "dm_ridge"};
  const EvaluationRecord record = evaluate_log(log, options);
  EXPECT_EQ(estimate_by(record, "ips_clipped").value, estimate_by(record, "ips").value);
  EXPECT_NE(estimate_by(record, "switch_dr").value, estimate_by(record, "dm_ridge").value);
  EXPECT_EQ(record.config.at("automatic").at("clip"), 80);
  EXPECT_EQ(record.config.at("automatic").at("switch_threshold"), 80);

  options.estimator.clip = 10;
  options.estimator.switch_threshold = 10;
  const EvaluationRecord absolute = evaluate_log(log, options);
  EXPECT_LT(estimate_by(absolute, "ips_clipped").max_weight, 10.1);
  EXPECT_EQ(estimate_by(absolute, "switch_dr").value, estimate_by(absolute, "dm_ridge").value);
}

TEST(ManyArms, OfTwoHaveTheFixedDefaults) {
  const ManyArmsLog log = randomised_log(800, 2, [](double u) { return u < 0.8 ? 0 : 1; });
  EvaluateOptions options;
  options.estimators = {"ips_clipped", "switch_dr", "snips"};
  const EvaluationRecord automatic = evaluate_log(log, options);
  options.nuisance.propensity_bound = 0.01;
  options.estimator.clip = 10;
  options.estimator.switch_threshold = 10;
  const EvaluationRecord given = evaluate_log(log, options);
  for (std::size_t k = 0; k < options.estimators.size(); ++k) {
    const Estimate& a = automatic.policies[0].estimates[k];
    const Estimate& b = given.policies[0].estimates[k];
    EXPECT_EQ(a.value, b.value) << a.estimator;
    EXPECT_EQ(a.warnings, b.warnings) << a.estimator;
  }
}

}  // namespace
}  // namespace cone
