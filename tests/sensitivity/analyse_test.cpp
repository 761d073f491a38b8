// The analysis of a dataset: its benchmarks, and that its results are those of the parts.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "sensitivity/feature_groups.hpp"
#include "sensitivity/fit_tables.hpp"

namespace cone {
namespace {

/// Three numeric features of which the second does not vary, a count feature, and a network of
/// groups. The first feature and, where `hidden` is not 0, a trait that neighbours share confound
/// treatments and outcomes.
LoadedData draw_data(std::size_t n, double hidden) {
  LoadedData data;
  Dataset& out = data.observed;
  Rng rng(3, Stream::kTest, 21);
  out.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = std::sin(static_cast<double>(i / 10) * 1.7) * hidden;
    const double x = rng.normal();
    const Arm t = rng.bernoulli(sigmoid(x + 2 * shared)) ? 1 : 0;
    out.treatment.push_back(t);
    out.outcome.push_back(x + 2 * shared + t + 0.3 * rng.normal());
    columns.insert(columns.end(), {0, 1, 2, 3});
    values.insert(values.end(), {x, 5, rng.normal(), static_cast<double>(rng.below(3))});
    offsets.push_back(columns.size());
    for (std::size_t k = 1; k <= 4; ++k) {
      if (i / 10 == (i + k) / 10 && i + k < n) {
        edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(i + k)});
      }
    }
  }
  out.features = {.matrix = SparseMatrix(4, offsets, columns, values),
                  .names = {"x", "five", "z", "word"},
                  .num_dense = 3};
  out.graph = build_graph(Context(), n, edges);
  return data;
}

PolicyOnData constant(const std::string& name, std::size_t n, double treated) {
  PolicyOnData out{name, Matrix<double>(n, 2)};
  for (std::size_t i = 0; i < n; ++i) {
    out.probability(i, 1) = treated;
    out.probability(i, 0) = 1 - treated;
  }
  return out;
}

SensitivityReport analyse(const LoadedData& data, Reference reference, SensitivityOptions options,
                          int num_threads = 2) {
  const std::vector<PolicyOnData> policies = {constant("all", data.observed.num_nodes(), 1)};
  const PolicyOnData none = constant("none", data.observed.num_nodes(), 0);
  return analyse_sensitivity(Context({.seed = 1, .threads = num_threads}), data, policies,
                             reference, reference == Reference::kPolicy ? &none : nullptr, options);
}

TEST(FeatureGroups, AreColumnsOfTheTableAndAllCounts) {
  LoadedData data = draw_data(200, 0);
  std::vector<FeatureGroup> groups = list_feature_groups(data);
  ASSERT_EQ(groups.size(), 3U) << "constant columns are no benchmarks";
  EXPECT_EQ(groups[0].name, "x");
  EXPECT_EQ(groups[1].name, "z");
  EXPECT_EQ(groups[2].name, "counts");
  EXPECT_GT(groups[0].imbalance, groups[1].imbalance) << "x determines treatment";
  data.columns = {{.name = "id", .role = "id"},
                  {.name = "both", .role = "feature", .first_feature = 0, .num_features = 2},
                  {.name = "z", .role = "feature", .first_feature = 2, .num_features = 1}};
  groups = list_feature_groups(data);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "both");
  EXPECT_EQ(groups[0].columns, (std::vector<std::uint32_t>{0, 1}));
}

TEST(FeatureGroups, ThatAreLeftOutAreZeroAndNothingElseChanges) {
  const LoadedData data = draw_data(50, 0);
  const Dataset left = leave_out(data.observed, list_feature_groups(data)[0]);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(left.features.matrix.row(i).at(0), 0);
    for (const std::uint32_t j : {1U, 2U, 3U}) {
      EXPECT_EQ(left.features.matrix.row(i).at(j), data.observed.features.matrix.row(i).at(j));
    }
  }
  EXPECT_EQ(left.graph.num_edges(), data.observed.graph.num_edges());
  const Dataset alone = leave_out_network(data.observed);
  EXPECT_EQ(alone.graph.num_edges(), 0U);
  EXPECT_EQ(alone.graph.num_nodes(), 50U);
}

TEST(FitPropensity, WithTheNetworkUsesWhatNeighboursShare) {
  const LoadedData data = draw_data(600, 1);
  const FitPlan plan = cross_fit_plan(data.observed, 5, 3, 1);
  const SensitivityOptions options;
  const Context context({.seed = 1});
  const auto r2 = [&](PropensityModel model) {
    const PropensityTable table = fit_propensity(context, data.observed, plan, model, options);
    for (std::size_t i = 0; i < 600; ++i) {
      EXPECT_NEAR(table.e(i, 0) + table.e(i, 1), 1, 1e-12);
      EXPECT_GE(table.e(i, 1), 0.01);
    }
    return treatment_r2(data.observed.treatment, table.e.view());
  };
  EXPECT_GT(r2(PropensityModel::kNetwork), r2(PropensityModel::kFeatures) + 0.05);
}

TEST(AnalyseSensitivity, UsesTheNetworkWhereItHelpsAndMeasuresIt) {
  const LoadedData data = draw_data(400, 1);
  const SensitivityReport found = analyse(data, Reference::kLogged, {});
  EXPECT_TRUE(found.propensity_sees_network);
  const PolicySensitivity& all = found.policies.at(0);
  ASSERT_EQ(all.benchmarks.size(), 4U);
  EXPECT_EQ(all.benchmarks[0].name, "network");
  EXPECT_TRUE(all.benchmarks[0].treatment_gain_is_clear);
  EXPECT_GT(all.benchmarks[0].bias, 0.1);
  EXPECT_GT(all.benchmarks[0].cf_y, all.benchmarks[3].cf_y) << "counts are noise";
  EXPECT_NEAR(all.value, all.ridge_value, 0.3);
  EXPECT_EQ(all.curve.front().lambda, 1);
  EXPECT_EQ(all.curve.back().lambda, 5);
  EXPECT_NEAR(all.curve.front().lower.value, all.value, 1e-12);
  EXPECT_NEAR(all.contour(0, 0), all.value, 1e-12);
  EXPECT_NEAR(all.robustness, robustness_value(all.value, all.scale_by_arm), 1e-12);
  const SensitivityReport without = analyse(draw_data(300, 0), Reference::kLogged, {});
  EXPECT_FALSE(without.propensity_sees_network);
  EXPECT_FALSE(without.policies[0].benchmarks[0].treatment_gain_is_clear);
}

TEST(AnalyseSensitivity, DifferencesAreThoseOfValues) {
  const LoadedData data = draw_data(300, 1);
  SensitivityOptions options;
  options.benchmarks = {"none"};
  const PolicySensitivity value = analyse(data, Reference::kNothing, options).policies[0];
  const SensitivityReport done = analyse(data, Reference::kLogged, options);
  EXPECT_TRUE(value.benchmarks.empty());
  EXPECT_NEAR(done.policies[0].value, value.value - done.observed_mean, 1e-12);
  EXPECT_EQ(done.policies[0].scale_by_arm, value.scale_by_arm);
  EXPECT_NEAR(done.policies[0].standard_error, value.standard_error, 1e-12)
      << "the logged policy has no error for the sample";
  const PolicySensitivity against = analyse(data, Reference::kPolicy, options).policies[0];
  EXPECT_EQ(against.against, "none");
  EXPECT_NEAR(against.value, 1, 0.4);
}

TEST(AnalyseSensitivity, TheLoggedPolicyIsExactAndPoliciesThatDependOnItAreDoubted) {
  const LoadedData data = draw_data(300, 0);
  SensitivityOptions options;
  options.benchmarks = {"none"};
  PolicyOnData done = constant("done", 300, 0);
  PolicyOnData mostly = constant("mostly", 300, 0);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t a = 0; a < 2; ++a) {
      done.probability(i, a) = data.observed.treatment[i] == a ? 1 : 0;
      mostly.probability(i, a) = data.observed.treatment[i] == a ? 0.9 : 0.1;
    }
  }
  const std::vector<PolicyOnData> policies = {done, mostly, constant("half", 300, 0.5)};
  const SensitivityReport report = analyse_sensitivity(
      Context({.seed = 1, .threads = 2}), data, policies, Reference::kLogged, nullptr, options);
  EXPECT_EQ(report.policies[0].value, 0);
  EXPECT_EQ(report.policies[0].ridge_value, 0);
  ASSERT_FALSE(report.policies[0].curve.empty());
  for (const MarginalBounds& at : report.policies[0].curve) {
    EXPECT_EQ(at.lower.value, 0);
    EXPECT_EQ(at.upper.value, 0);
  }
  std::size_t num_doubts = 0;
  for (const std::string& warning : report.warnings) {
    EXPECT_EQ(warning.find("done:"), std::string::npos) << warning;
    EXPECT_EQ(warning.find("half:"), std::string::npos) << warning;
    num_doubts += warning.starts_with("mostly: its mean weight") ? 1 : 0;
  }
  EXPECT_EQ(num_doubts, 1U);
  EXPECT_TRUE(report.policies[0].doubt.empty());
  EXPECT_FALSE(report.policies[1].doubt.empty());
  EXPECT_TRUE(report.policies[2].doubt.empty());
}

TEST(AnalyseSensitivity, ErrorsGrowByOneFactorWithCorrelatedNoise) {
  LoadedData data = draw_data(300, 0);
  Rng rng(8, Stream::kTest, 5);
  for (std::size_t i = 0; i < 300; i += 10) {
    const double shared = 2 * rng.normal();
    for (std::size_t k = i; k < i + 10; ++k) data.observed.outcome[k] += shared;
  }
  SensitivityOptions options;
  options.benchmarks = {"none"};
  // With own features only, what neighbours share remains in the residuals.
  options.network_ridge.ridge_groups = {"own"};
  const PolicySensitivity found = analyse(data, Reference::kLogged, options).policies[0];
  options.dependence = Dependence::kIndependent;
  const PolicySensitivity alone = analyse(data, Reference::kLogged, options).policies[0];
  EXPECT_EQ(alone.error_factor, 1);
  EXPECT_GT(found.error_factor, 1.2);
  EXPECT_NEAR(found.standard_error, found.error_factor * alone.standard_error, 1e-12);
  EXPECT_NEAR(found.curve.back().upper.standard_error,
              found.error_factor * alone.curve.back().upper.standard_error, 1e-12);
  EXPECT_EQ(found.breakdown.lambda, alone.breakdown.lambda);
  EXPECT_LE(found.breakdown.confident.value_or(5), alone.breakdown.confident.value_or(5));
}

TEST(AnalyseSensitivity, IsTheSameAtAnyNumberOfThreads) {
  const LoadedData data = draw_data(200, 1);
  SensitivityOptions options;
  options.benchmarks = {"x", "network"};
  const SensitivityReport one = analyse(data, Reference::kLogged, options, 1);
  const SensitivityReport three = analyse(data, Reference::kLogged, options, 3);
  EXPECT_EQ(one.policies[0].value, three.policies[0].value);
  EXPECT_EQ(one.policies[0].breakdown.lambda, three.policies[0].breakdown.lambda);
  EXPECT_EQ(one.policies[0].benchmarks[1].bias, three.policies[0].benchmarks[1].bias);
}

TEST(AnalyseSensitivity, RefusesBenchmarksThatTheDataLacks) {
  const LoadedData data = draw_data(60, 0);
  SensitivityOptions options;
  options.benchmarks = {"five", "income"};
  try {
    analyse(data, Reference::kLogged, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.faults().size(), 2U);
  }
  LoadedData bare;
  EXPECT_THROW(analyse(bare, Reference::kLogged, {}), Error);
}

TEST(AnalyseSensitivity, IntervalsOfSmallSamplesAreByTQuantiles) {
  SensitivityOptions options;
  options.benchmarks = {"none"};
  options.dependence = Dependence::kIndependent;
  const auto quantile_of = [&](std::size_t n) {
    const PolicySensitivity found =
        analyse(draw_data(n, 0), Reference::kLogged, options).policies[0];
    EXPECT_EQ(found.error_factor, 1);
    return (found.sampling_interval.second - found.value) / found.standard_error;
  };
  const double small = quantile_of(40);
  EXPECT_GT(small, 2.03);
  // The degrees of freedom are those of the weights of the outcomes, which are unequal here.
  EXPECT_LT(quantile_of(1000), small);
  EXPECT_GT(quantile_of(1000), 1.96);
}

}  // namespace
}  // namespace cone
