#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cone/settings.hpp"

#include "distributed/rank_system.hpp"
#include "distributed/sampled_inputs.hpp"
#include "network_ridge/dense_solver.hpp"

namespace cone::distributed {

/// Arms that are small enough to be solved exactly, as on one machine. The equations of such an arm
/// are whole on one rank, which gets the right-hand sides from the others and gives the solution
/// back.
class DenseArms {
 public:
  explicit DenseArms(std::size_t num_arms) : is_dense_(num_arms, 0), arms_(num_arms) {}

  static bool is_small(const Share& share, std::size_t arm, RidgeSolverChoice choice,
                       std::size_t most_nodes);
  /// The rank that holds the arm's equations, and learns its variances.
  static std::size_t owner(const Ranks& ranks, std::size_t arm) { return arm % ranks.size(); }

  /// Says that the arm is one of these; called by all ranks.
  void announce(std::size_t arm) { is_dense_[arm] = 1; }
  /// Takes in the arm's equations; called by its owner.
  void prepare(const Context& context, const RankSystem& system, std::size_t arm,
               SampledInputs sampled, const ArmKernels& kernels);

  bool has(std::size_t arm) const { return is_dense_[arm] != 0; }
  bool has_any() const;
  bool has_all() const;

  /// Adds the solution for the rows of these arms, but for the last digits. Called by all ranks.
  void solve(const Context& context, const RankSystem& system, const RidgeSides& sides,
             std::span<const std::size_t> tasks, RidgeSolution& at) const;

 private:
  struct HeldArm {
    RidgeSystem system;
    std::unique_ptr<DenseSolver> solver;
    std::vector<std::uint32_t> position_of_sent;
  };
  std::vector<double> solve_held(const Context& context, const HeldArm& held,
                                 std::span<const double> rows, const RidgeSides& sides,
                                 std::size_t arm, std::span<const std::size_t> tasks,
                                 Matrix<double>& lambda) const;

  std::vector<char> is_dense_;
  std::vector<std::unique_ptr<HeldArm>> arms_;  ///< those that this rank holds
};

}  // namespace cone::distributed
