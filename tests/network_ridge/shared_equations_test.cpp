// The iterative solver with positions distributed over several processes: threads stand in for
// them, so that no MPI is needed.

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "network_ridge/count_factor.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"
#include "network_ridge/threads_as_processes.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

using testing::PartOfSystem;
using testing::ThreadGhosts;

constexpr std::size_t kSharedNodes = 600;
constexpr std::size_t kSharedArms = 2;

/// All groups have positive variances, those of count features by far the largest, and two tasks
/// learn from half of the positions each.
RidgeSystem system_of_all_groups(const Context& context) {
  const Dataset data = testing::ridge_world({.nodes = kSharedNodes, .arms = kSharedArms}, 5).data;
  RidgeSystem system;
  system.inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *system.inputs, {});
  for (std::size_t a = 0; a < kSharedArms; ++a) {
    ArmModel& model = system.arms.emplace_back();
    model.noise = 0.05;
    model.noise_growth = 0.01;
    model.fixed_columns = {0, 1, 2};
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      const bool is_counts = system.groups[g].kind == GroupKind::kNeighbourSumsCounts;
      model.group_variances.push_back(is_counts ? 3.0 : 0.1 * static_cast<double>(1 + (g + a) % 3));
    }
  }
  for (std::size_t t = 0; t < 2; ++t) {
    std::vector<char>& learns = system.learns_from.emplace_back(kSharedNodes, 0);
    for (std::size_t p = 0; p < kSharedNodes; ++p) {
      learns[p] = system.inputs->node_at[p] % 2 == t ? 1 : 0;
    }
  }
  return system;
}

RidgeSides draw_sides(std::size_t width) {
  RidgeSides sides{Matrix<double>(kSharedNodes, width),
                   Matrix<double>(kSharedArms * RidgeSystem::kNumFixed, width)};
  Rng rng(9, Stream::kTest, width);
  for (double& value : sides.f.values()) value = rng.normal();
  for (double& value : sides.g.values()) value = rng.normal();
  return sides;
}

/// The owner of every position: evenly distributed, but the last of several processes has no
/// position of the first arm.
std::vector<std::size_t> assign_positions(const RidgeSystem& system, std::size_t count) {
  std::vector<std::size_t> owner;
  for (std::size_t p = 0; p < kSharedNodes; ++p) {
    const std::size_t most = system.inputs->arm_of(p) == 0 && count > 1 ? count - 1 : count;
    owner.push_back(system.inputs->node_at[p] * 7 % 13 % most);
  }
  return owner;
}

TEST(SharedEquations, ManyProcessesAgreeWithOne) {
  const Context context(0, 1);
  const RidgeSystem system = system_of_all_groups(context);
  const RidgeSides sides = draw_sides(5);
  const std::vector<std::size_t> tasks = {0, 1, 0, 1, 1};
  const RidgeSolution wanted =
      IterativeSolver(context, system).solve(context, sides.f, sides.g, tasks);
  ASSERT_TRUE(wanted.converged);
  const SystemSource source(system);
  const ArmEquations equations(context, source, 1);
  const std::vector<double> quiet(equations.num_positions(), 0.05);
  ASSERT_TRUE(CountFactor(equations, quiet, kSharedNodes / 8).has(GroupKind::kNeighbourSumsCounts));

  for (const auto& [count, ghosts] : {std::pair(1U, ThreadGhosts::kSent),
                                      {2U, ThreadGhosts::kSent},
                                      {3U, ThreadGhosts::kSent},
                                      {3U, ThreadGhosts::kShared}}) {
    Matrix<double> x(kSharedNodes, tasks.size());
    std::vector<Matrix<double>> lambda;
    std::mutex writes;
    testing::share_system(
        system, count, assign_positions(system, count), ghosts,
        [&](const std::shared_ptr<const PartOfSystem>& part) {
          const Context own(0, 1);
          const IterativeSolver solver(own, part, std::vector<std::size_t>{0, 1});
          const RidgeSolution found = solver.solve(own, part->take_rows(sides.f), sides.g, tasks);
          const std::lock_guard guard(writes);
          EXPECT_TRUE(found.converged);
          // Rounding may change the number of iterations by one.
          EXPECT_NEAR(static_cast<double>(found.iterations), static_cast<double>(wanted.iterations),
                      2);
          for (std::size_t row = 0; row < part->positions.size(); ++row) {
            std::ranges::copy(found.x.row(row), x.row(part->positions[row]).begin());
          }
          lambda.push_back(found.lambda);
        });
    EXPECT_LT(testing::largest_difference(x.values(), wanted.x.values()), 1e-6) << count;
    for (const Matrix<double>& of_rank : lambda) {
      EXPECT_TRUE(testing::same_bits(of_rank.values(), lambda.front().values())) << count;
      EXPECT_LT(testing::largest_difference(of_rank.values(), wanted.lambda.values()), 1e-6);
    }
  }
}

TEST(SharedEquations, ProductsWithTheKernelAreThoseOfOneProcess) {
  const Context context(0, 1);
  const RidgeSystem system = system_of_all_groups(context);
  const Matrix<double> v = draw_sides(3).f;
  const Matrix<double> wanted = multiply_kernel(context, system, 1, v);
  Matrix<double> found(kSharedNodes, 3);
  std::mutex writes;
  testing::share_system(
      system, 3, assign_positions(system, 3), ThreadGhosts::kShared,
      [&](const std::shared_ptr<const PartOfSystem>& part) {
        const Matrix<double> own = multiply_kernel(Context(0, 1), *part, 1, part->take_rows(v));
        const std::lock_guard guard(writes);
        for (std::size_t row = 0; row < part->positions.size(); ++row) {
          std::ranges::copy(own.row(row), found.row(part->positions[row]).begin());
        }
      });
  EXPECT_LT(testing::largest_difference(found.values(), wanted.values()), 1e-9);
}

TEST(SharedEquations, ArmsThatAreNotSolvedStayZero) {
  const Context context(0, 1);
  const RidgeSystem system = system_of_all_groups(context);
  const RidgeSides sides = draw_sides(2);
  const std::vector<std::size_t> tasks = {0, 1};
  const std::vector<std::size_t> second = {1};
  const IterativeSolver solver(context, std::make_shared<SystemSource>(system), second);
  const RidgeSolution found = solver.solve(context, sides.f, sides.g, tasks);
  EXPECT_TRUE(found.converged);
  for (std::size_t p = 0; p < kSharedNodes; ++p) {
    const bool is_second = system.inputs->arm_of(p) == 1;
    const bool learns = system.learns_from[0][p] != 0;
    EXPECT_EQ(found.x(p, 0) != 0, is_second && learns) << p;
  }
}

TEST(SharedEquations, TighterTolerancesLeaveSmallerResiduals) {
  const Context context(0, 1);
  const RidgeSystem system = system_of_all_groups(context);
  const RidgeSides sides = draw_sides(2);
  const std::vector<std::size_t> tasks = {0, 1};
  const std::vector<std::size_t> both = {0, 1};
  const auto left = [&](double tolerance) {
    const IterativeSolver solver(context, std::make_shared<SystemSource>(system), both,
                                 {tolerance, IterativeSolver::kMostIterations});
    RidgeSides masked = sides;
    for (std::size_t p = 0; p < kSharedNodes; ++p) {
      for (std::size_t k = 0; k < 2; ++k) {
        if (system.learns_from[tasks[k]][p] == 0) masked.f(p, k) = 0;
      }
    }
    const RidgeSolution found = solver.solve(context, sides.f, sides.g, tasks);
    const RidgeSides rest = find_residual(context, system, masked, tasks, found);
    return std::sqrt(dot(rest.f.values(), rest.f.values()));
  };
  EXPECT_LT(left(1e-10), 0.05 * left(1e-5));
}

}  // namespace
}  // namespace cone
