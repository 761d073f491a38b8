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

/// Arms that are small enough for the dense solver of one process. One rank, the arm's owner, has
/// all of its equations, receives the right-hand sides and returns the solution.
class DenseArms {
 public:
  explicit DenseArms(std::size_t num_arms) : is_dense_(num_arms, 0), arms_(num_arms) {}

  static bool is_small(const LocalData& local, std::size_t arm, RidgeSolverChoice choice,
                       std::size_t most_nodes);
  /// The rank that owns the arm's equations and learns its variances.
  static std::size_t owner(const Communicator& comm, std::size_t arm) { return arm % comm.size(); }

  /// Marks the arm as dense; called by all ranks.
  void mark_dense(std::size_t arm) { is_dense_[arm] = 1; }
  /// Sets up the arm's equations; called by its owner.
  void prepare(const Context& context, const RankSystem& system, std::size_t arm,
               SampledInputs sampled, const ArmKernels& kernels);

  bool has(std::size_t arm) const { return is_dense_[arm] != 0; }
  bool has_any() const;
  bool has_all() const;

  /// Adds the solution for the rows of dense arms; the last digits need a refinement step.
  /// Collective.
  void solve(const Context& context, const RankSystem& system, const RidgeSides& sides,
             std::span<const std::size_t> tasks, RidgeSolution& at) const;

 private:
  struct OwnedArm {
    RidgeSystem system;
    std::unique_ptr<DenseSolver> solver;
    std::vector<std::uint32_t> position_of_received;
  };
  std::vector<double> solve_owned(const Context& context, const OwnedArm& owned,
                                  std::span<const double> rows, const RidgeSides& sides,
                                  std::size_t arm, std::span<const std::size_t> tasks,
                                  Matrix<double>& lambda) const;

  std::vector<char> is_dense_;
  std::vector<std::unique_ptr<OwnedArm>> arms_;  ///< those that this rank owns
};

}  // namespace cone::distributed
