// The dense and the iterative solver agree, and do not depend on the number of threads.

#include <gtest/gtest.h>

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

using testing::answer;
using testing::largest_difference;
using testing::ridge_world;
using testing::RidgeAnswer;
using testing::RidgeShape;
using testing::same_bits;
using testing::solved_by;

TEST(RidgeSolvers, AgreeNodeByNode) {
  for (const std::size_t arms : {2U, 3U}) {
    const Dataset data = ridge_world({.nodes = 600, .arms = arms}, arms).data;
    const FitPlan plan = cross_fit_plan(data, 5, 2, 1);
    for (const double u : {0.01, 0.1, 1.0}) {
      NetworkRidgeOptions options = solved_by(RidgeSolverChoice::kDense);
      options.undersmoothing = u;
      const RidgeAnswer dense = answer(data, plan, options);
      options.ridge_solver = RidgeSolverChoice::kIterative;
      const RidgeAnswer iterative = answer(data, plan, options);
      EXPECT_EQ(dense.summary.solver, "dense");
      EXPECT_EQ(iterative.summary.solver, "iterative");
      EXPECT_TRUE(iterative.summary.converged && iterative.implied.converged);
      EXPECT_GT(iterative.summary.iterations, 0U);
      // The variances are learnt in the same way, so only the solvers differ.
      const double sd = std::sqrt(variance(data.outcome, 0));
      EXPECT_LT(largest_difference(dense.mu.values(), iterative.mu.values()), 1e-6 * sd)
          << arms << " arms, u " << u;
      // Weights sum to the number of nodes; a value is their sum divided by it.
      EXPECT_LT(largest_difference(dense.implied.weights, iterative.implied.weights) / 600, 1e-7)
          << arms << " arms, u " << u;
      EXPECT_NEAR(iterative.implied.variance / dense.implied.variance, 1, 1e-6);
    }
  }
}

TEST(RidgeSolvers, AgreeWhereVariancesAreLearntPerFold) {
  const Dataset data = ridge_world({.nodes = 300}, 3).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  NetworkRidgeOptions options = solved_by(RidgeSolverChoice::kDense);
  options.ridge_variances = VarianceFits::kPerFold;
  const RidgeAnswer dense = answer(data, plan, options);
  options.ridge_solver = RidgeSolverChoice::kIterative;
  const RidgeAnswer iterative = answer(data, plan, options);
  EXPECT_EQ(dense.summary.arms.size(), 3 * data.num_arms());
  EXPECT_LT(largest_difference(dense.mu.values(), iterative.mu.values()), 1e-6);
  EXPECT_LT(largest_difference(dense.implied.weights, iterative.implied.weights) / 300, 1e-7);
}

TEST(RidgeSolvers, AreBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = ridge_world({.nodes = 600, .arms = 3}, 4).data;
  const FitPlan plan = cross_fit_plan(data, 4, 2, 1);
  for (const auto solver : {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative}) {
    const RidgeAnswer one = answer(Context({.threads = 1}), data, plan, solved_by(solver));
    for (const int threads : {2, 5}) {
      const RidgeAnswer many = answer(Context({.threads = threads}), data, plan, solved_by(solver));
      EXPECT_TRUE(same_bits(one.mu.values(), many.mu.values())) << threads;
      EXPECT_TRUE(same_bits(one.implied.weights, many.implied.weights)) << threads;
      EXPECT_EQ(one.implied.variance, many.implied.variance);
      EXPECT_EQ(*one.implied.variance_for_sample, *many.implied.variance_for_sample);
      EXPECT_EQ(one.summary.iterations, many.summary.iterations);
    }
  }
}

/// K_a·V by the operator against explicit kernels.
TEST(RidgeSolvers, TheOperatorMultipliesByTheExplicitKernels) {
  const Dataset data = ridge_world({.nodes = 200, .arms = 3}, 5).data;
  const Context context({.threads = 2});
  RidgeSystem system;
  auto inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *inputs, {});
  system.inputs = std::move(inputs);
  ASSERT_EQ(system.groups.size(), 12U);  // two of the three resolutions differ
  for (std::size_t a = 0; a < 3; ++a) {
    ArmModel& model = system.arms.emplace_back();
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      model.group_variances.push_back((g + a) % 4 == 0 ? 0 : 0.1 * static_cast<double>(1 + g + a));
    }
  }
  std::vector<std::uint32_t> all(200);
  for (std::uint32_t p = 0; p < 200; ++p) all[p] = p;
  const ArmKernels kernels = make_kernels(context, *system.inputs, system.groups, all);
  for (const std::size_t width : {1U, 3U, 8U, 37U}) {
    Matrix<double> v(200, width);
    Rng rng(7, Stream::kTest, width);
    for (double& value : v.values()) value = rng.normal();
    for (std::size_t a = 0; a < 3; ++a) {
      const Matrix<double> sum = sum_kernels(context, kernels, system.arms[a].group_variances,
                                             std::vector<double>(200, 0.0));
      const Matrix<double> found = multiply_kernel(context, system, a, v);
      const ArmEquations equations(context, system, a);
      Matrix<double> of_positions(equations.num_positions(), width);
      for (std::size_t row = 0; row < of_positions.rows(); ++row) {
        std::ranges::copy(v.row(equations.first_position() + row), of_positions.row(row).begin());
      }
      const Matrix<double> by_arm =
          equations.multiply_kernel(context, equations.strengths(), of_positions);
      for (std::size_t p = 0; p < 200; ++p) {
        for (std::size_t k = 0; k < width; ++k) {
          double whole = 0;
          double of_arm = 0;
          for (std::size_t q = 0; q < 200; ++q) {
            const double product = sum(std::max(p, q), std::min(p, q)) * v(q, k);
            whole += product;
            if (system.inputs->arm_of(q) == a) of_arm += product;
          }
          ASSERT_NEAR(found(p, k), whole, 1e-9);
          if (system.inputs->arm_of(p) == a) {
            ASSERT_NEAR(by_arm(p - equations.first_position(), k), of_arm, 1e-9);
          }
        }
      }
    }
  }
}

TEST(RidgeSolvers, TheDiagonalIsThatOfTheExplicitKernels) {
  const Dataset data = ridge_world({.nodes = 200, .arms = 2}, 6).data;
  const Context context({.threads = 2});
  RidgeSystem system;
  auto inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *inputs, {});
  system.inputs = std::move(inputs);
  for (std::size_t a = 0; a < 2; ++a) {
    ArmModel& model = system.arms.emplace_back();
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      model.group_variances.push_back(0.1 * static_cast<double>(1 + g + a));
    }
  }
  std::vector<std::uint32_t> all(200);
  for (std::uint32_t p = 0; p < 200; ++p) all[p] = p;
  const ArmKernels kernels = make_kernels(context, *system.inputs, system.groups, all);
  for (std::size_t a = 0; a < 2; ++a) {
    const Matrix<double> sum = sum_kernels(context, kernels, system.arms[a].group_variances,
                                           std::vector<double>(200, 0.0));
    const ArmEquations equations(context, system, a);
    const KernelDiagonal found = find_kernel_diagonal(equations, equations.strengths());
    for (std::size_t row = 0; row < equations.num_positions(); ++row) {
      const std::size_t p = equations.first_position() + row;
      ASSERT_NEAR(found.spread[row] + found.narrow[row], sum(p, p), 1e-9);
      ASSERT_GE(found.spread[row], 0);
    }
  }
}

/// A right-hand side that is zero in an arm has a zero solution there, and does not affect the
/// others.
TEST(RidgeSolvers, ConvergedColumnsDoNotAffectTheOthers) {
  const Dataset data = ridge_world({.nodes = 600}, 7).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Context context({.threads = 2});
  const NetworkRidge model =
      learn_network_ridge(context, data, plan, solved_by(RidgeSolverChoice::kIterative));
  const RidgePart& part = *model.parts.front();
  const RidgeSolution wanted = solve_outcomes(context, part, data);
  ASSERT_TRUE(wanted.converged);
  // The right-hand sides of the outcomes, one column of them, and one of zeros.
  Matrix<double> f(600, 3);
  const Matrix<double> g(2 * RidgeSystem::kNumFixed, 3);
  for (std::size_t p = 0; p < 600; ++p) {
    const ArmModel& arm = part.system.arms[model.inputs->arm_of(p)];
    f(p, 0) = (data.outcome[model.inputs->node_at[p]] - arm.mean) / arm.sd;
    if (model.inputs->arm_of(p) == 1) f(p, 2) = f(p, 0);
  }
  const std::vector<std::size_t> tasks = {0, 1, 0};
  const RidgeSolution found = part.solver->solve(context, f, g, tasks);
  EXPECT_TRUE(found.converged);
  for (std::size_t p = 0; p < 600; ++p) {
    EXPECT_NEAR(found.x(p, 0), wanted.x(p, 0), 1e-6);
    EXPECT_EQ(found.x(p, 1), 0);
    if (model.inputs->arm_of(p) == 0) {
      EXPECT_EQ(found.x(p, 2), 0);
    } else {
      EXPECT_NEAR(found.x(p, 2), wanted.x(p, 0), 1e-6);
    }
  }
}

}  // namespace
}  // namespace cone
