#include "distributed/dense_arms.hpp"

#include <algorithm>

#include "network_ridge/network_ridge.hpp"

namespace cone::distributed {

bool DenseArms::is_small(const Share& share, std::size_t arm, RidgeSolverChoice choice,
                         std::size_t most_nodes) {
  if (choice != RidgeSolverChoice::kAuto) return choice == RidgeSolverChoice::kDense;
  return is_small_arm(share.whole.arm_sizes[arm], most_nodes);
}

bool DenseArms::has_any() const {
  return std::ranges::any_of(is_dense_, [](char is_dense) { return is_dense != 0; });
}

bool DenseArms::has_all() const {
  return std::ranges::all_of(is_dense_, [](char is_dense) { return is_dense != 0; });
}

void DenseArms::prepare(const Context& context, const RankSystem& system, std::size_t arm,
                        SampledInputs sampled, const ArmKernels& kernels) {
  auto held = std::make_unique<HeldArm>();
  held->system.inputs = std::make_shared<RidgeInputs>(std::move(sampled.inputs));
  held->system.groups = system.groups;
  held->system.arms = {system.arms[arm]};
  held->system.undersmoothing = system.undersmoothing;
  // Positions behind the sampled ones are neighbours of theirs, which nobody learns from.
  held->system.learns_from.assign(system.num_tasks,
                                  std::vector<char>(held->system.inputs->arm_begin.back(), 0));
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    for (std::size_t p = 0; p < sampled.fold.size(); ++p) {
      held->system.learns_from[t][p] = sampled.fold[p] != static_cast<int>(t) ? 1 : 0;
    }
  }
  held->solver = std::make_unique<DenseSolver>(held->system);
  held->solver->prepare_arm(context, 0, kernels);
  held->position_of_sent = std::move(sampled.position_of_sent);
  arms_[arm] = std::move(held);
}

std::vector<double> DenseArms::solve_held(const Context& context, const HeldArm& held,
                                          std::span<const double> rows, const RidgeSides& sides,
                                          std::size_t arm, std::span<const std::size_t> tasks,
                                          Matrix<double>& lambda) const {
  const std::size_t width = tasks.size();
  Matrix<double> f(held.system.inputs->arm_begin.back(), width);
  Matrix<double> g(kFixed, width);
  for (std::size_t k = 0; k < held.position_of_sent.size(); ++k) {
    std::ranges::copy(rows.subspan(k * width, width), f.row(held.position_of_sent[k]).begin());
  }
  for (std::size_t c = 0; c < kFixed; ++c) {
    std::ranges::copy(sides.g.row(arm * kFixed + c), g.row(c).begin());
  }
  const RidgeSolution found = held.solver->solve_roughly(context, f, g, tasks);
  for (std::size_t c = 0; c < kFixed; ++c) {
    std::ranges::copy(found.lambda.row(c), lambda.row(arm * kFixed + c).begin());
  }
  std::vector<double> out(rows.size());
  for (std::size_t k = 0; k < held.position_of_sent.size(); ++k) {
    std::ranges::copy(found.x.row(held.position_of_sent[k]),
                      out.begin() + static_cast<std::ptrdiff_t>(k * width));
  }
  return out;
}

void DenseArms::solve(const Context& context, const RankSystem& system, const RidgeSides& sides,
                      std::span<const std::size_t> tasks, RidgeSolution& at) const {
  const Share& share = system.share;
  const Ranks& ranks = system.ranks;
  const std::size_t width = tasks.size();
  Matrix<double> lambda(sides.g.rows(), width);  // each row is filled by one rank
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    if (!has(a)) continue;
    const auto first = static_cast<std::ptrdiff_t>(share.arm_begin[a] * width);
    const auto last = static_cast<std::ptrdiff_t>(share.arm_begin[a + 1] * width);
    std::vector<std::vector<double>> parts(ranks.size());
    parts[owner(ranks, a)].assign(sides.f.values().begin() + first,
                                  sides.f.values().begin() + last);
    parts = ranks.exchange(std::move(parts));
    if (arms_[a]) {
      std::vector<double> rows;
      for (const std::vector<double>& part : parts)
        rows.insert(rows.end(), part.begin(), part.end());
      const std::vector<double> found =
          solve_held(context, *arms_[a], rows, sides, a, tasks, lambda);
      std::size_t next = 0;
      for (std::vector<double>& part : parts) {
        std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(next), part.size(), part.begin());
        next += part.size();
      }
    }
    const std::vector<double> own = ranks.exchange(std::move(parts))[owner(ranks, a)];
    std::transform(own.begin(), own.end(), at.x.values().begin() + first,
                   at.x.values().begin() + first, std::plus<>());
  }
  ranks.allreduce(lambda.values());
  std::transform(lambda.values().begin(), lambda.values().end(), at.lambda.values().begin(),
                 at.lambda.values().begin(), std::plus<>());
}

}  // namespace cone::distributed
