#include "distributed/dense_arms.hpp"

#include <algorithm>

#include "network_ridge/network_ridge.hpp"

namespace cone::distributed {

bool DenseArms::is_small(const LocalData& local, std::size_t arm, RidgeSolverChoice choice,
                         std::size_t most_nodes) {
  if (choice != RidgeSolverChoice::kAuto) return choice == RidgeSolverChoice::kDense;
  return is_small_arm(local.global.arm_sizes[arm], most_nodes);
}

bool DenseArms::has_any() const {
  return std::ranges::any_of(is_dense_, [](char is_dense) { return is_dense != 0; });
}

bool DenseArms::has_all() const {
  return std::ranges::all_of(is_dense_, [](char is_dense) { return is_dense != 0; });
}

void DenseArms::prepare(const Context& context, const RankSystem& system, std::size_t arm,
                        SampledInputs sampled, const ArmKernels& kernels) {
  auto owned = std::make_unique<OwnedArm>();
  owned->system.inputs = std::make_shared<RidgeInputs>(std::move(sampled.inputs));
  owned->system.groups = system.groups;
  owned->system.arms = {system.arms[arm]};
  owned->system.undersmoothing = system.undersmoothing;
  // Positions behind the sampled ones are their neighbours, which no task learns from.
  owned->system.learns_from.assign(system.num_tasks,
                                   std::vector<char>(owned->system.inputs->arm_begin.back(), 0));
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    for (std::size_t p = 0; p < sampled.fold.size(); ++p) {
      owned->system.learns_from[t][p] = sampled.fold[p] != static_cast<int>(t) ? 1 : 0;
    }
  }
  owned->solver = std::make_unique<DenseSolver>(owned->system);
  owned->solver->prepare_arm(context, 0, kernels);
  owned->position_of_received = std::move(sampled.position_of_received);
  arms_[arm] = std::move(owned);
}

std::vector<double> DenseArms::solve_owned(const Context& context, const OwnedArm& owned,
                                           std::span<const double> rows, const RidgeSides& sides,
                                           std::size_t arm, std::span<const std::size_t> tasks,
                                           Matrix<double>& lambda) const {
  const std::size_t width = tasks.size();
  Matrix<double> f(owned.system.inputs->arm_begin.back(), width);
  Matrix<double> g(kFixed, width);
  for (std::size_t k = 0; k < owned.position_of_received.size(); ++k) {
    std::ranges::copy(rows.subspan(k * width, width), f.row(owned.position_of_received[k]).begin());
  }
  for (std::size_t c = 0; c < kFixed; ++c) {
    std::ranges::copy(sides.g.row(arm * kFixed + c), g.row(c).begin());
  }
  const RidgeSolution found = owned.solver->solve_roughly(context, f, g, tasks);
  for (std::size_t c = 0; c < kFixed; ++c) {
    std::ranges::copy(found.lambda.row(c), lambda.row(arm * kFixed + c).begin());
  }
  std::vector<double> out(rows.size());
  for (std::size_t k = 0; k < owned.position_of_received.size(); ++k) {
    std::ranges::copy(found.x.row(owned.position_of_received[k]),
                      out.begin() + static_cast<std::ptrdiff_t>(k * width));
  }
  return out;
}

void DenseArms::solve(const Context& context, const RankSystem& system, const RidgeSides& sides,
                      std::span<const std::size_t> tasks, RidgeSolution& at) const {
  const LocalData& local = system.local;
  const Communicator& comm = system.comm;
  const std::size_t width = tasks.size();
  Matrix<double> lambda(sides.g.rows(), width);  // each row is set by one rank
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    if (!has(a)) continue;
    const auto first = static_cast<std::ptrdiff_t>(local.arm_begin[a] * width);
    const auto last = static_cast<std::ptrdiff_t>(local.arm_begin[a + 1] * width);
    std::vector<std::vector<double>> parts(comm.size());
    parts[owner(comm, a)].assign(sides.f.values().begin() + first, sides.f.values().begin() + last);
    parts = comm.alltoallv(std::move(parts));
    if (arms_[a]) {
      std::vector<double> rows;
      for (const std::vector<double>& part : parts)
        rows.insert(rows.end(), part.begin(), part.end());
      const std::vector<double> found =
          solve_owned(context, *arms_[a], rows, sides, a, tasks, lambda);
      std::size_t next = 0;
      for (std::vector<double>& part : parts) {
        std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(next), part.size(), part.begin());
        next += part.size();
      }
    }
    const std::vector<double> own = comm.alltoallv(std::move(parts))[owner(comm, a)];
    std::transform(own.begin(), own.end(), at.x.values().begin() + first,
                   at.x.values().begin() + first, std::plus<>());
  }
  comm.allreduce(lambda.values());
  std::transform(lambda.values().begin(), lambda.values().end(), at.lambda.values().begin(),
                 at.lambda.values().begin(), std::plus<>());
}

}  // namespace cone::distributed
