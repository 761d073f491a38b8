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

/// The predictions whose variances the columns of the equations give, one column each: those of
/// all ranks, of which a range is this rank's own.
struct ScoredColumns {
  std::vector<std::size_t> task;        ///< of the part, of every column
  std::vector<std::uint32_t> position;  ///< of the own columns
  std::size_t first_own = 0;

  /// The own ones of `width` columns from `first`, as visit(position, column from `first`).
  template <class Visit>
  void for_each_own(std::size_t first, std::size_t width, const Visit& visit) const {
    const std::size_t begin = std::max(first, first_own);
    const std::size_t end = std::min(first + width, first_own + position.size());
    for (std::size_t k = begin; k < end; ++k) visit(position[k - first_own], k - first);
  }
};

ScoredColumns list_scored(const NetworkRidge& model, const RidgePart& part) {
  const Communicator& comm = *model.inputs->comm;
  ScoredColumns out;
  std::vector<std::size_t> own_tasks;
  for (std::size_t t = 0; t < part.tasks.size(); ++t) {
    for (const std::uint32_t p : model.scored_positions[part.tasks[t]]) {
      out.position.push_back(p);
      own_tasks.push_back(t);
    }
  }
  out.task = comm.allgatherv(own_tasks);
  out.first_own = comm.exclusive_scan(own_tasks.size());
  return out;
}

}  // namespace

double learnt_noise(const RidgeSystem& system, std::size_t position) {
  const ArmModel& arm = system.arms[system.inputs->arm_of(position)];
  return arm.noise + kNoiseFloor + arm.noise_growth * system.inputs->relative_degree[position];
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
  const Communicator& comm = *inputs.comm;
  const ScoredColumns scored = list_scored(model, part);
  for (std::size_t first = 0; first < scored.task.size(); first += kPosteriorColumns) {
    context.report("standard deviations", first, scored.task.size());
    const std::size_t width = std::min(kPosteriorColumns, scored.task.size() - first);
    const std::span<const std::size_t> tasks = std::span(scored.task).subspan(first, width);
    Matrix<double> unit(inputs.num_nodes(), width);
    Matrix<double> f(inputs.num_nodes(), width);
    Matrix<double> g(num_arms * RidgeSystem::kNumFixed, width);
    scored.for_each_own(first, width,
                        [&](std::uint32_t position, std::size_t k) { unit(position, k) = 1; });
    Matrix<double> found(num_arms, width);
    for (std::size_t a = 0; a < num_arms; ++a) {
      const Matrix<double> reached = multiply_kernel(context, system, a, unit);
      for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
        std::ranges::copy(reached.row(p), f.row(p).begin());
      }
      scored.for_each_own(first, width, [&](std::uint32_t position, std::size_t k) {
        found(a, k) = reached(position, k);
        for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
          g(a * RidgeSystem::kNumFixed + c, k) = system.fixed_effect(position, c);
        }
      });
    }
    comm.allreduce(g.values());
    const RidgeSolution solution = part.solver->solve(context, f, g, tasks);
    for (std::size_t a = 0; a < num_arms; ++a) {
      for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
        const double noise = learnt_noise(system, p) - system.noise_at(p);
        for (std::size_t k = 0; k < width; ++k) {
          const double x = solution.x(p, k);
          found(a, k) -= x * (f(p, k) - noise * x);
        }
      }
    }
    comm.allreduce(found.values());
    for (std::size_t a = 0; a < num_arms; ++a) {
      for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
        const std::size_t row = a * RidgeSystem::kNumFixed + c;
        for (std::size_t k = 0; k < width; ++k) found(a, k) -= g(row, k) * solution.lambda(row, k);
      }
      scored.for_each_own(first, width, [&](std::uint32_t position, std::size_t k) {
        variance(position, a) = std::max(0.0, found(a, k));
      });
    }
  }
}

}  // namespace cone
