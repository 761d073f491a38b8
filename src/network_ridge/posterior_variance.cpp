#include "network_ridge/posterior_variance.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "network_ridge/kernel_products.hpp"
#include "network_ridge/low_rank_solver.hpp"
#include "network_ridge/restricted_likelihood.hpp"

namespace cone {
namespace {

/// Columns that are solved together: enough for BLAS, few enough to fit in memory.
constexpr std::size_t kPosteriorColumns = 256;

/// The prediction whose variance one column of the equations gives.
struct ScoredPosition {
  std::uint32_t position;
  std::size_t task;  ///< of the part
};

std::vector<ScoredPosition> list_scored(const NetworkRidge& model, const RidgePart& part) {
  std::vector<ScoredPosition> scored;
  for (std::size_t t = 0; t < part.tasks.size(); ++t) {
    for (const std::uint32_t p : model.scored_positions[part.tasks[t]]) scored.push_back({p, t});
  }
  return scored;
}

}  // namespace

double learnt_noise(const RidgeSystem& system, std::size_t position) {
  const ArmModel& arm = system.arms[system.inputs->arm_of(position)];
  return arm.noise + kNoiseFloor + arm.noise_growth * system.inputs->relative_degree[position];
}

Matrix<double> take_arm_rows(const RidgeInputs& inputs, const Matrix<double>& x, std::size_t arm) {
  Matrix<double> own(x.rows(), x.cols());
  for (std::size_t p = inputs.arm_begin[arm]; p < inputs.arm_begin[arm + 1]; ++p) {
    std::ranges::copy(x.row(p), own.row(p).begin());
  }
  return own;
}

Matrix<double> predict_in_units(const Context& context, const RidgeSystem& system,
                                const RidgeSolution& solution, std::size_t arm) {
  Matrix<double> out =
      multiply_kernel(context, system, arm, take_arm_rows(*system.inputs, solution.x, arm));
  for (std::size_t p = 0; p < out.rows(); ++p) {
    for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
      const double effect = system.fixed_effect(p, c);
      const std::span<const double> slopes = solution.lambda.row(arm * RidgeSystem::kNumFixed + c);
      for (std::size_t k = 0; k < out.cols(); ++k) out(p, k) += effect * slopes[k];
    }
  }
  return out;
}

void find_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    Matrix<double>& variance) {
  if (part.method == RidgeMethod::kLowRank) {
    const auto& solver = static_cast<const LowRankSolver&>(*part.solver);
    for (std::size_t t = 0; t < part.tasks.size(); ++t) {
      context.report("standard deviations", t, part.tasks.size());
      const std::span<const std::uint32_t> positions = model.scored_positions[part.tasks[t]];
      const Matrix<double> found = solver.find_variances(context, t, positions);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        std::ranges::copy(found.row(i), variance.row(positions[i]).begin());
      }
    }
    return;
  }
  const RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t num_arms = system.arms.size();
  const std::vector<ScoredPosition> scored = list_scored(model, part);
  for (std::size_t first = 0; first < scored.size(); first += kPosteriorColumns) {
    context.report("standard deviations", first, scored.size());
    const std::size_t width = std::min(kPosteriorColumns, scored.size() - first);
    Matrix<double> unit(inputs.num_nodes(), width);
    Matrix<double> f(inputs.num_nodes(), width);
    Matrix<double> g(num_arms * RidgeSystem::kNumFixed, width);
    std::vector<std::size_t> tasks;
    for (std::size_t k = 0; k < width; ++k) {
      unit(scored[first + k].position, k) = 1;
      tasks.push_back(scored[first + k].task);
    }
    Matrix<double> found(num_arms, width);
    for (std::size_t a = 0; a < num_arms; ++a) {
      const Matrix<double> reached = multiply_kernel(context, system, a, unit);
      for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
        std::ranges::copy(reached.row(p), f.row(p).begin());
      }
      for (std::size_t k = 0; k < width; ++k) {
        const std::uint32_t position = scored[first + k].position;
        found(a, k) = reached(position, k);
        for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
          g(a * RidgeSystem::kNumFixed + c, k) = system.fixed_effect(position, c);
        }
      }
    }
    const RidgeSolution solution = part.solver->solve(context, f, g, tasks);
    for (std::size_t a = 0; a < num_arms; ++a) {
      for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
        const double noise = learnt_noise(system, p) - system.noise_at(p);
        for (std::size_t k = 0; k < width; ++k) {
          const double x = solution.x(p, k);
          found(a, k) -= x * (f(p, k) - noise * x);
        }
      }
      for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
        const std::size_t row = a * RidgeSystem::kNumFixed + c;
        for (std::size_t k = 0; k < width; ++k) found(a, k) -= g(row, k) * solution.lambda(row, k);
      }
      for (std::size_t k = 0; k < width; ++k) {
        variance(scored[first + k].position, a) = std::max(0.0, found(a, k));
      }
    }
  }
}

}  // namespace cone
