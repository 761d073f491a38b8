// The network ridge against its reference (ridge_fixture.hpp): groups, likelihood and variances.

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/ridge_fixture.hpp"

namespace cone {
namespace {

using nlohmann::json;
using testing::Case;
using testing::exponentials_of;
using testing::kContext;
using testing::name_of;
using testing::NetworkRidgeFixture;
using testing::size_of;
using testing::vector_of;

TEST_P(NetworkRidgeFixture, GroupsTheirScalesAndTheirKernelsAgree) {
  const json& expected = it.reference.at("groups");
  ASSERT_EQ(it.groups.size(), expected.size());
  if (!it.reference.at("bandwidth").is_null()) {
    EXPECT_NEAR(it.inputs->bandwidth, it.reference.at("bandwidth").get<double>(), 1e-12);
  }
  std::vector<std::uint32_t> all(it.data.num_nodes());
  std::iota(all.begin(), all.end(), 0U);
  const ArmKernels kernels = make_kernels(kContext, *it.inputs, it.groups, all);
  const std::size_t row = it.inputs->position_of[size_of(it.reference, "kernel_row_of")];
  for (std::size_t g = 0; g < expected.size(); ++g) {
    EXPECT_EQ(enum_name(it.groups[g].kind), expected[g].at("name").get<std::string>());
    EXPECT_NEAR(it.groups[g].scale / expected[g].at("scale").get<double>(), 1, 1e-12);
    const GroupKernel& group = kernels.groups[g];
    const auto kernel_row = vector_of(expected[g].at("kernel_row"));
    for (std::size_t i = 0; i < kernel_row.size(); ++i) {
      const std::size_t column = it.inputs->position_of[i];
      double found = group.factor * (*group.products)(row, column);
      if (group.averages) {
        found *= kernels.inverse_degree[row] * kernels.inverse_degree[column];
      }
      EXPECT_NEAR(found, kernel_row[i], 1e-9) << enum_name(it.groups[g].kind) << " node " << i;
    }
  }
}

TEST_P(NetworkRidgeFixture, CriterionAndGradientAgree) {
  const bool grows = it.reference.at("noises").size() == 2;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const auto point = evaluate_likelihood(kContext, it.sample(a, grows),
                                           exponentials_of(it.arm(a).at("log_variances")));
    ASSERT_TRUE(point.has_value());
    EXPECT_NEAR(point->value, it.arm(a).at("criterion").get<double>(), 1e-8);
    const auto gradient = vector_of(it.arm(a).at("gradient"));
    ASSERT_EQ(point->gradient.size(), gradient.size());
    for (std::size_t g = 0; g < gradient.size(); ++g) {
      EXPECT_NEAR(point->gradient[g], gradient[g], 1e-7) << a << ' ' << g;
    }
  }
}

TEST_P(NetworkRidgeFixture, TheInformationIsThatOfTheFormula) {
  // ½·y'PK_gPK_hPy by differences: the derivative of Py along log σ²_h is −σ²_h·PK_hPy, so that of
  // the quadratic part y'PK_gPy along h is −2·σ²_h·y'PK_gPK_hPy.
  const bool grows = it.reference.at("noises").size() == 2;
  const ArmSample sample = it.sample(0, grows);
  const std::vector<double> at = exponentials_of(it.arm(0).at("log_variances"));
  const auto quadratic = [&](double h_factor, std::size_t g, std::size_t h) {
    // value(outcome) − value(0) = ½·y'Py; its derivative along g is −½·σ²_g·y'PK_gPy.
    std::vector<double> moved = at;
    moved[h] *= h_factor;
    ArmSample none = sample;
    std::ranges::fill(none.outcome, 0.0);
    const auto with = evaluate_likelihood(kContext, sample, moved);
    const auto without = evaluate_likelihood(kContext, none, moved);
    return -(with->gradient[g] - without->gradient[g]) * 2 / moved[g];
  };
  const auto point = evaluate_likelihood(kContext, sample, at);
  constexpr double kStep = 1e-4;
  for (std::size_t g = 0; g < at.size(); ++g) {
    for (std::size_t h = 0; h < at.size(); ++h) {
      const double slope =
          (quadratic(std::exp(kStep), g, h) - quadratic(std::exp(-kStep), g, h)) / (2 * kStep);
      EXPECT_NEAR(point->information(g, h), -0.25 * at[g] * slope, 1e-6) << g << ' ' << h;
    }
  }
}

/// On a regular graph the two noises are proportional, and the program has the first only.
bool noise_grows(const Case& it) { return it.name() == "mixed"; }

LearntVariances learn(const Case& it, std::size_t arm, double tolerance) {
  const ArmSample sample = it.sample(arm, noise_grows(it));
  std::vector<std::size_t> order(sample.kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return learn_variances(kContext, sample, order, tolerance);
}

TEST_P(NetworkRidgeFixture, TheSmallestCriterionIsFound) {
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const double smallest = it.arm(a).at("optimum").at("criterion").get<double>();
    const LearntVariances rough = learn(it, a, 1e-3);
    EXPECT_TRUE(rough.converged);
    // One more step would gain less than the tolerance; all further steps may gain a bit more.
    EXPECT_LT(rough.likelihood, smallest + 3e-3) << a;
    const LearntVariances fine = learn(it, a, 1e-9);
    EXPECT_TRUE(fine.converged);
    EXPECT_NEAR(fine.likelihood, smallest, 1e-6) << a;
  }
}

TEST_P(NetworkRidgeFixture, VariancesAtTheSmallestCriterionAgreeWhereTheyAreIdentified) {
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const json& optimum = it.arm(a).at("optimum");
    const auto logs = vector_of(optimum.at("log_variances"));
    const auto identified = optimum.at("identified").get<std::vector<bool>>();
    const LearntVariances fine = learn(it, a, 1e-11);
    for (std::size_t g = 0; g < fine.variances.size(); ++g) {
      if (!identified[g]) continue;
      EXPECT_NEAR(std::log(fine.variances[g]), logs[g], 2e-3) << "arm " << a << " variance " << g;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Datasets, NetworkRidgeFixture, ::testing::Values(0U, 1U, 2U), name_of);

}  // namespace
}  // namespace cone
