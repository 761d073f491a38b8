#include <algorithm>
#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "evaluate/evaluate.hpp"
#include "support/small_network.hpp"
#include "support/small_world.hpp"

// What must hold of every row of the catalogue through a whole evaluation, fits and all.

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

enum class Nuisances { kFitted, kGiven };

/// Whether the row's numbers come out of a training in single precision.
bool trains(const EstimatorInfo& row) { return row.needs_cone() || row.outcome_model == "nn"; }

EvaluateOptions every_row(Nuisances nuisances) {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (nuisances == Nuisances::kGiven ? !trains(row) : row.outcome_model != "given") {
      options.estimators.emplace_back(row.name);
    }
  }
  if (nuisances == Nuisances::kGiven) options.nuisances = NuisanceSource::kGiven;
  options.cone = testing::small_options();
  options.cone.epochs = 20;
  return options;
}

/// A confounded world, with columns for given nuisances.
SmallWorld world_with_columns() {
  SmallWorld world = small_world(240, 0.7, 1.0, 5);
  Dataset& data = world.data.observed;
  data.propensity.emplace();
  data.mu0.emplace();
  data.mu1.emplace();
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const auto row = data.features.matrix.row(i);
    data.propensity->push_back(sigmoid(0.7 * row.values[0]));
    data.mu0->push_back(0.8 * row.values[0]);
    data.mu1->push_back(0.8 * row.values[0] + 1.1);
  }
  return world;
}

std::vector<Estimate> estimates(const SmallWorld& world, Nuisances nuisances) {
  return evaluate(Context(0, 2), world.data, world.policies, every_row(nuisances))
      .record.policies[0]
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

class EveryRow : public ::testing::TestWithParam<Nuisances> {};

TEST_P(EveryRow, IsUnchangedWhenArmsAndPolicySwapNames) {
  const SmallWorld world = world_with_columns();
  SmallWorld swapped = world;
  Dataset& data = swapped.data.observed;
  for (std::uint8_t& t : data.treatment) t = 1 - t;
  for (double& p : *data.propensity) p = 1 - p;
  std::swap(data.mu0, data.mu1);
  for (double& p : swapped.policies[0].treat_probability) p = 1 - p;
  expect_equivariant(estimates(world, GetParam()), estimates(swapped, GetParam()), 1, 0, kRoughly);
}

TEST_P(EveryRow, FollowsTheUnitOfTheOutcome) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  constexpr double kScale = 1000;
  for (auto* column : {&data.outcome, &*data.mu0, &*data.mu1}) {
    for (double& value : *column) value *= kScale;
  }
  expect_equivariant(estimates(world, GetParam()), estimates(other, GetParam()), kScale, 0,
                     {1e-7, 1e-4});
}

TEST_P(EveryRow, TurnsAroundWithTheSignOfTheOutcome) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  for (auto* column : {&data.outcome, &*data.mu0, &*data.mu1}) {
    for (double& value : *column) value = -value;
  }
  expect_equivariant(estimates(world, GetParam()), estimates(other, GetParam()), -1, 0, kRoughly);
}

TEST_P(EveryRow, ShiftsWithTheOutcomeUnlessItsWeightsAreNotNormalised) {
  const SmallWorld world = world_with_columns();
  SmallWorld other = world;
  Dataset& data = other.data.observed;
  constexpr double kShift = 50;
  for (auto* column : {&data.outcome, &*data.mu0, &*data.mu1}) {
    for (double& value : *column) value += kShift;
  }
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
  const auto in_order = [&](const std::vector<double>& values) {
    std::vector<double> out;
    for (const NodeIndex i : order) out.push_back(values[i]);
    return out;
  };
  permuted.data.observed.propensity = in_order(*world.data.observed.propensity);
  permuted.data.observed.mu0 = in_order(*world.data.observed.mu0);
  permuted.data.observed.mu1 = in_order(*world.data.observed.mu1);
  permuted.policies = {{"by x1", in_order(world.policies[0].treat_probability)}};
  expect_equivariant(estimates(world, GetParam()), estimates(permuted, GetParam()), 1, 0,
                     {1e-7, 5e-3});
}

INSTANTIATE_TEST_SUITE_P(Nuisances, EveryRow,
                         ::testing::Values(Nuisances::kFitted, Nuisances::kGiven),
                         [](const auto& source) {
                           return source.param == Nuisances::kGiven ? "given" : "fitted";
                         });

}  // namespace
}  // namespace cone
