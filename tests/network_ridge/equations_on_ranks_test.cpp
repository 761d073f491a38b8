// The equations with positions distributed over ranks, which are threads here.

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "network_ridge/count_factor.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/distribute.hpp"
#include "support/thread_communicator.hpp"

namespace cone {
namespace {

constexpr std::size_t kSharedNodes = 600;
constexpr std::size_t kSharedArms = 2;

/// All groups have positive variances, those of count features by far the largest, and two tasks
/// learn from half of the positions each.
RidgeSystem system_of_all_groups(const Context& context, std::shared_ptr<RidgeInputs> inputs) {
  RidgeSystem system;
  system.inputs = inputs;
  system.groups = list_groups(context, *inputs, {});
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
    std::vector<char>& learns = system.learns_from.emplace_back();
    for (std::size_t p = 0; p < inputs->num_nodes(); ++p) {
      learns.push_back(inputs->number_of(p) % 2 == t ? 1 : 0);
    }
  }
  return system;
}

Dataset equations_world() {
  return testing::ridge_world({.nodes = kSharedNodes, .arms = kSharedArms}, 5).data;
}

RidgeSystem system_of_one_process(const Context& context) {
  return system_of_all_groups(
      context, std::make_shared<RidgeInputs>(prepare_inputs(context, equations_world(), {})));
}

RidgeSides draw_sides(std::size_t width) {
  RidgeSides sides{Matrix<double>(kSharedNodes, width),
                   Matrix<double>(kSharedArms * RidgeSystem::kNumFixed, width)};
  Rng rng(9, Stream::kTest, width);
  for (double& value : sides.f.values()) value = rng.normal();
  for (double& value : sides.g.values()) value = rng.normal();
  return sides;
}

/// Runs work(context, system, positions) on every rank: its part of the system, and the positions
/// of its rows in one process. The nodes are evenly distributed, but the last of several ranks has
/// no node of the first arm.
template <class Work>
void run_distributed(const RidgeSystem& whole, std::size_t num_ranks, const Work& work) {
  const Dataset data = equations_world();
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < kSharedNodes; ++i) {
    const std::size_t most = data.treatment[i] == 0 && num_ranks > 1 ? num_ranks - 1 : num_ranks;
    owner.push_back(i * 7 % 13 % most);
  }
  testing::run_on_ranks(num_ranks, [&](const Communicator& comm) {
    const Context own({.threads = 1});
    const Context context = own.shared_by(comm);
    const Dataset part = testing::distribute(data, comm, owner);
    auto inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, part, {}));
    std::vector<std::uint32_t> positions;
    for (std::size_t p = 0; p < inputs->num_nodes(); ++p) {
      positions.push_back(whole.inputs->position_of[inputs->number_of(p)]);
    }
    work(context, system_of_all_groups(context, inputs), positions);
  });
}

Matrix<double> take_rows(const Matrix<double>& table, std::span<const std::uint32_t> rows) {
  Matrix<double> out(rows.size(), table.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::ranges::copy(table.row(rows[k]), out.row(k).begin());
  }
  return out;
}

TEST(EquationsOnRanks, HaveTheSolutionOfOneProcess) {
  const Context context({.threads = 1});
  const RidgeSystem system = system_of_one_process(context);
  const RidgeSides sides = draw_sides(5);
  const std::vector<std::size_t> tasks = {0, 1, 0, 1, 1};
  const std::vector<std::size_t> both = {0, 1};
  const RidgeSolution wanted =
      IterativeSolver(context, system, both).solve(context, sides.f, sides.g, tasks);
  ASSERT_TRUE(wanted.converged);
  const ArmEquations equations(context, system, 1);
  const std::vector<double> quiet(equations.num_positions(), 0.05);
  ASSERT_TRUE(CountFactor(equations, quiet, kSharedNodes / 8).has(GroupKind::kNeighbourSumsCounts));

  for (const std::size_t count : {1U, 2U, 3U}) {
    Matrix<double> x(kSharedNodes, tasks.size());
    std::vector<Matrix<double>> lambda;
    std::mutex writes;
    run_distributed(
        system, count,
        [&](const Context& own, const RidgeSystem& part, std::span<const std::uint32_t> positions) {
          const IterativeSolver solver(own, part, both);
          const RidgeSolution found =
              solver.solve(own, take_rows(sides.f, positions), sides.g, tasks);
          const std::lock_guard guard(writes);
          EXPECT_TRUE(found.converged);
          // Rounding may change the number of iterations by one.
          EXPECT_NEAR(static_cast<double>(found.iterations), static_cast<double>(wanted.iterations),
                      2);
          for (std::size_t row = 0; row < positions.size(); ++row) {
            std::ranges::copy(found.x.row(row), x.row(positions[row]).begin());
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

TEST(EquationsOnRanks, HaveTheKernelOfOneProcess) {
  const Context context({.threads = 1});
  const RidgeSystem system = system_of_one_process(context);
  const Matrix<double> v = draw_sides(3).f;
  const Matrix<double> wanted = multiply_kernel(context, system, 1, v);
  Matrix<double> found(kSharedNodes, 3);
  std::mutex writes;
  run_distributed(
      system, 3,
      [&](const Context& own, const RidgeSystem& part, std::span<const std::uint32_t> positions) {
        const Matrix<double> product = multiply_kernel(own, part, 1, take_rows(v, positions));
        const std::lock_guard guard(writes);
        for (std::size_t row = 0; row < positions.size(); ++row) {
          std::ranges::copy(product.row(row), found.row(positions[row]).begin());
        }
      });
  EXPECT_LT(testing::largest_difference(found.values(), wanted.values()), 1e-9);
}

TEST(IterativeSolver, LeavesTheOtherArmsZero) {
  const Context context({.threads = 1});
  const RidgeSystem system = system_of_one_process(context);
  const RidgeSides sides = draw_sides(2);
  const std::vector<std::size_t> tasks = {0, 1};
  const std::vector<std::size_t> second = {1};
  const IterativeSolver solver(context, system, second);
  const RidgeSolution found = solver.solve(context, sides.f, sides.g, tasks);
  EXPECT_TRUE(found.converged);
  for (std::size_t p = 0; p < kSharedNodes; ++p) {
    const bool is_second = system.inputs->arm_of(p) == 1;
    const bool learns = system.learns_from[0][p] != 0;
    EXPECT_EQ(found.x(p, 0) != 0, is_second && learns) << p;
  }
}

TEST(IterativeSolver, HasSmallerResidualsWithTighterTolerances) {
  const Context context({.threads = 1});
  const RidgeSystem system = system_of_one_process(context);
  const RidgeSides sides = draw_sides(2);
  const std::vector<std::size_t> tasks = {0, 1};
  const auto left = [&](double tolerance) {
    double squares = 0;
    for (std::size_t a = 0; a < kSharedArms; ++a) {
      const std::vector<std::size_t> arm = {a};
      const IterativeSolver solver(context, system, arm,
                                   {tolerance, IterativeSolver::kMostIterations});
      const RidgeSolution found = solver.solve(context, sides.f, sides.g, tasks);
      const ArmEquations equations(context, system, a);
      std::vector<std::uint32_t> rows(equations.num_positions());
      std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(equations.first_position()));
      RidgeSides of_arm{take_rows(sides.f, rows), Matrix<double>(RidgeSystem::kNumFixed, 2)};
      for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t k = 0; k < 2; ++k) {
          if (!equations.learns(tasks[k], row)) of_arm.f(row, k) = 0;
        }
      }
      std::vector<std::uint32_t> fixed(RidgeSystem::kNumFixed);
      std::iota(fixed.begin(), fixed.end(), static_cast<std::uint32_t>(a * fixed.size()));
      of_arm.g = take_rows(sides.g, fixed);
      const RidgeSides rest = equations.find_residual(
          context, std::move(of_arm), tasks,
          {.x = take_rows(found.x, rows), .lambda = take_rows(found.lambda, fixed)});
      squares += dot(rest.f.values(), rest.f.values());
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(left(1e-10), 0.05 * left(1e-5));
}

}  // namespace
}  // namespace cone
