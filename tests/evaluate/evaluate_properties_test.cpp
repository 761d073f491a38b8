#include <algorithm>
#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_network.hpp"
#include "support/small_world.hpp"

// Properties of every estimator through a complete evaluation, including fits.

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// Whether the estimator trains networks, in single precision.
bool trains(const EstimatorInfo& row) {
  return row.needs(LearnerId::kCone) || row.outcome == LearnerId::kNetworks;
}

EvaluateOptions every_row(NuisanceSource nuisances) {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (nuisances == NuisanceSource::kGiven ? !trains(row) : row.outcome != LearnerId::kGiven) {
      options.estimators.emplace_back(row.name);
    }
  }
  options.nuisances = nuisances;
  options.cone = testing::small_options();
  options.cone.epochs = 20;
  return options;
}

/// Confounded data with columns for given nuisances.
SmallWorld world_with_columns() {
  SmallWorld world = small_world(240, 0.7, 1.0, 5);
  Dataset& data = world.data.observed;
  std::vector<double> propensity;
  std::vector<double> mu0;
  std::vector<double> mu1;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const auto row = data.features.matrix.sparse().row(i);
    propensity.push_back(sigmoid(0.7 * row.values[0]));
    mu0.push_back(0.8 * row.values[0]);
    mu1.push_back(0.8 * row.values[0] + 1.1);
  }
  data.propensity = two_arm_probabilities(propensity);
  data.mu = join_arms(std::vector{mu0, mu1});
  return world;
}

/// Outcomes and the given predictions of them.
template <class Change>
void change_outcomes(Dataset& data, const Change& change) {
  for (double& y : data.outcome) y = change(y);
  for (double& y : data.mu->values()) y = change(y);
}

std::vector<Estimate> estimates(const SmallWorld& world, NuisanceSource nuisances) {
  return evaluate(Context({.threads = 2}), world.data, world.policies, every_row(nuisances))
      .policies[0]
      .estimates;
}

/// Warnings without the numbers that are in units of the outcome.
std::vector<std::string> without_outcome_units(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) {
    warning = std::regex_replace(warning, std::regex("by [-+][^ ]+"), "by #");
  }
  return warnings;
}

struct Tolerance {
  double closed_form;
  double network;  ///< in standard deviations of the outcome
};

/// The heads of cone's encoders start at random: another name for an arm or another sign of the
/// outcome is another start for the same problem.
constexpr Tolerance kRoughly = {1e-7, 0.05};

void expect_equivariant(const std::vector<Estimate>& before, const std::vector<Estimate>& after,
                        double scale, double shift, Tolerance tolerance) {
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Estimate& a = before[k];
    const Estimate& b = after[k];
    const bool network = trains(*find_estimator(a.estimator));
    const double near = std::abs(scale) * (network ? tolerance.network : tolerance.closed_form);
    EXPECT_NEAR(scale * a.value + shift, b.value, near) << a.estimator;
    EXPECT_EQ(std::isnan(a.standard_error), std::isnan(b.standard_error)) << a.estimator;
    if (!std::isnan(a.standard_error)) {
      EXPECT_NEAR(std::abs(scale) * a.standard_error, b.standard_error, near) << a.estimator;
    }
    EXPECT_EQ(a.status, b.status) << a.estimator;
    if (!network) {
      EXPECT_NEAR(*a.mean_weight, *b.mean_weight, 1e-6) << a.estimator;
      EXPECT_EQ(without_outcome_units(a.warnings), without_outcome_units(b.warnings))
          << a.estimator;
    }
  }
}

class EveryRow : public ::testing::TestWithParam<NuisanceSource> {};

TEST_P(EveryRow, IsUnchangedWhenArmsAndPolicySwapNames) {
  const SmallWorld world = world_with_columns();
  SmallWorld swapped = world;
  Dataset& data = swapped.data.observed;
  for (std::uint8_t& t : data.treatment) t = 1 - t;
  for (Matrix<double>* table : {&*data.propensity, &*data.mu, &swapped.policies[0].probability}) {
    for (std::size_t i = 0; i < table->rows(); ++i) std::swap((*table)(i, 0), (*table)(i, 1));
  }
  expect_equivariant(estimates(world, GetParam()), estimates(swapped, GetParam()), 1, 0, kRoughly);
}

TEST_P(EveryRow, ScalesWithTheUnitOfTheOutcome) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  constexpr double kScale = 1000;
  change_outcomes(data, [](double y) { return kScale * y; });
  expect_equivariant(estimates(world, GetParam()), estimates(other, GetParam()), kScale, 0,
                     {1e-7, 1e-4});
}

TEST_P(EveryRow, ChangesSignWithTheOutcome) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  change_outcomes(data, [](double y) { return -y; });
  expect_equivariant(estimates(world, GetParam()), estimates(other, GetParam()), -1, 0, kRoughly);
}

TEST_P(EveryRow, ShiftsWithTheOutcomeUnlessItsWeightsAreNotNormalised) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  constexpr double kShift = 50;
  change_outcomes(data, [](double y) { return y + kShift; });
  const auto normalised = [](std::vector<Estimate> all) {
    std::erase_if(all, [](const Estimate& e) {
      const Method method = find_estimator(e.estimator)->method;
      return method == Method::kInversePropensity || method == Method::kClippedInversePropensity;
    });
    return all;
  };
  expect_equivariant(normalised(estimates(world, GetParam())),
                     normalised(estimates(other, GetParam())), 1, kShift, {1e-7, 1e-4});
}

TEST_P(EveryRow, IsUnchangedByTheOrderOfNodes) {
  const SmallWorld world = world_with_columns();
  const std::size_t n = world.data.observed.num_nodes();
  const auto drawn = Rng(5, Stream::kTest).permutation(static_cast<std::uint32_t>(n));
  const std::vector<NodeIndex> order(drawn.begin(), drawn.end());
  SmallWorld permuted;
  permuted.data.observed = testing::with_nodes_permuted(world.data.observed, order);
  const auto in_order = [&](const Matrix<double>& table) {
    Matrix<double> out(table.rows(), table.cols());
    for (std::size_t i = 0; i < n; ++i) {
      std::copy(table.row(order[i]).begin(), table.row(order[i]).end(), out.row(i).begin());
    }
    return out;
  };
  permuted.data.observed.propensity = in_order(*world.data.observed.propensity);
  permuted.data.observed.mu = in_order(*world.data.observed.mu);
  permuted.policies = {{"by x1", in_order(world.policies[0].probability)}};
  expect_equivariant(estimates(world, GetParam()), estimates(permuted, GetParam()), 1, 0,
                     {1e-7, 5e-3});
}

INSTANTIATE_TEST_SUITE_P(Nuisances, EveryRow,
                         ::testing::Values(NuisanceSource::kFitted, NuisanceSource::kGiven),
                         [](const auto& source) {
                           return source.param == NuisanceSource::kGiven ? "given" : "fitted";
                         });

}  // namespace
}  // namespace cone
