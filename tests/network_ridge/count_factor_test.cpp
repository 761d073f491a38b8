// The part of the kernel that comes from count features, as an implicit factor.

#include "network_ridge/count_factor.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "network_ridge/ridge_world.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodes = 200;
constexpr std::size_t kArms = 3;

bool is_counts(GroupKind kind) {
  return kind == GroupKind::kOwnCounts || kind == GroupKind::kNeighbourSumsCounts ||
         kind == GroupKind::kNeighbourMeansCounts;
}

/// Groups of count features have variances that differ by arm; those of all other groups are zero.
RidgeSystem system_of_counts(const Context& context) {
  const Dataset data = testing::ridge_world({.nodes = kNodes, .arms = kArms}, 5).data;
  RidgeSystem system;
  auto inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *inputs, {});
  system.inputs = std::move(inputs);
  for (std::size_t a = 0; a < kArms; ++a) {
    ArmModel& model = system.arms.emplace_back();
    model.noise = 1e-3;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      const double variance = 0.1 * static_cast<double>(1 + g + a);
      model.group_variances.push_back(is_counts(system.groups[g].kind) ? variance : 0);
    }
  }
  system.learns_from.assign(1, std::vector<char>(kNodes, 1));
  return system;
}

Matrix<double> draw_table(std::size_t rows, std::size_t cols) {
  Matrix<double> out(rows, cols);
  Rng rng(7, Stream::kTest, cols);
  for (double& value : out.values()) value = rng.normal();
  return out;
}

std::vector<double> noise_of(const ArmEquations& equations) {
  std::vector<double> out;
  for (std::size_t row = 0; row < equations.num_positions(); ++row) {
    out.push_back(equations.noise(row));
  }
  return out;
}

TEST(CountFactor, TimesItsTransposeIsTheKernelOfCountFeatures) {
  const Context context({.threads = 2});
  const RidgeSystem system = system_of_counts(context);
  for (std::size_t a = 0; a < kArms; ++a) {
    const ArmEquations equations(context, system, a);
    const CountFactor factor(equations, noise_of(equations), 3 * system.inputs->counts.cols());
    ASSERT_EQ(factor.num_columns(), 3 * system.inputs->counts.cols());
    const Matrix<double> v = draw_table(equations.num_positions(), 4);
    const Matrix<double> wanted = equations.multiply_kernel(context, equations.strengths(), v);
    Matrix<double> found(v.rows(), v.cols());
    factor.add_product(context, factor.multiply_transposed(context, v).view(), found);
    for (std::size_t k = 0; k < found.values().size(); ++k) {
      ASSERT_NEAR(found.values()[k], wanted.values()[k], 1e-10);
    }
  }
}

TEST(CountFactor, ProductsOfItsColumnsAreThoseOfTheExplicitFactor) {
  const Context context({.threads = 2});
  const RidgeSystem system = system_of_counts(context);
  const std::size_t counts = system.inputs->counts.cols();
  for (std::size_t a = 0; a < kArms; ++a) {
    const ArmEquations equations(context, system, a);
    // With own count features, and without: the group with the least variance.
    for (const std::size_t most : {3 * counts, 2 * counts}) {
      const CountFactor factor(equations, noise_of(equations), most);
      ASSERT_EQ(factor.num_columns(), most);
      ASSERT_EQ(factor.num_own_columns(), most == 3 * counts ? counts : 0);
      const Matrix<double> random = draw_table(equations.num_positions(), 5);
      Matrix<double> identity(most, most);
      for (std::size_t c = 0; c < most; ++c) identity(c, c) = 1;
      Matrix<double> whole(equations.num_positions(), most);
      factor.add_product(context, identity.view(), whole);
      std::vector<double> weights;
      std::vector<std::uint32_t> rows;
      for (std::uint32_t row = 0; row < equations.num_positions(); ++row) {
        weights.push_back(1 + row % 7);
        if (row % 3 != 1) rows.push_back(row);
      }
      const auto entry = [&](std::size_t row, std::size_t c) {
        return c < most ? whole(row, c) : random(row, c - most);
      };
      const Matrix<double> found =
          weigh_factor_products(context, equations, factor, {}, random, weights, rows);
      ASSERT_EQ(found.rows(), most + 5);
      for (std::size_t r = 0; r < found.rows(); ++r) {
        for (std::size_t c = 0; c < found.cols(); ++c) {
          double sum = 0;
          for (const std::uint32_t row : rows) sum += weights[row] * entry(row, r) * entry(row, c);
          ASSERT_NEAR(found(r, c), sum, 1e-9 * (1 + std::abs(sum)));
        }
      }
    }
  }
}

TEST(CountFactor, TakesTheGroupWithTheLargestVarianceWhereNotAllFit) {
  const Context context({.threads = 1});
  const RidgeSystem system = system_of_counts(context);
  const std::size_t counts = system.inputs->counts.cols();
  const ArmEquations equations(context, system, 0);
  const std::vector<double> noise = noise_of(equations);
  const CountFactor one(equations, noise, counts);
  EXPECT_EQ(one.num_columns(), counts);
  EXPECT_TRUE(one.has(
      GroupKind::kNeighbourMeansCounts));  // the last of the groups, with the largest variance
  EXPECT_EQ(CountFactor(equations, noise, counts - 1).num_columns(), 0U);
  const std::vector<double> large(noise.size(), 1e6);  // no group dominates it
  EXPECT_EQ(CountFactor(equations, large, 3 * counts).num_columns(), 0U);
}

}  // namespace
}  // namespace cone
