#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/dense_arm.hpp"
#include "network_ridge/gathered_arm.hpp"
#include "network_ridge/iterative_solver.hpp"

namespace cone {

/// Solves the equations arm by arm: small arms by dense factors on one rank each, their owner,
/// large ones by all ranks with the iterative solver. The system must outlive it. Collective.
class ArmSolver : public RidgeSolver {
 public:
  explicit ArmSolver(const RidgeSystem& system)
      : system_(system), dense_(system.inputs->num_arms()) {}

  /// The rank that owns the arm's dense factors and learns its variances.
  static std::size_t owner(const Communicator& comm, std::size_t arm) { return arm % comm.size(); }

  /// Factorises the equations of a learnt arm; called by its owner.
  void factorise(const Context& context, std::size_t arm, const GatheredArm& gathered,
                 const ArmKernels& kernels);
  /// Prepares all equations, when every arm has been learnt. `is_dense`: of every arm.
  void prepare(const Context& context, std::span<const char> is_dense);

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

 private:
  struct OwnedArm {
    DenseArm equations;
    std::vector<std::uint32_t> row_of_received;
  };
  /// The solution of the dense arms, without refinement; zero for the others.
  RidgeSolution solve_dense(const Context& context, const RidgeSides& sides,
                            std::span<const std::size_t> tasks) const;
  std::vector<double> solve_owned(const Context& context, std::size_t arm,
                                  std::span<const double> rows, const Matrix<double>& g,
                                  std::span<const std::size_t> tasks, Matrix<double>& lambda) const;

  const RidgeSystem& system_;
  std::vector<std::optional<OwnedArm>> dense_;                  ///< by arm, those of this rank
  std::vector<std::unique_ptr<ArmEquations>> dense_equations_;  ///< of all dense arms
  std::optional<IterativeSolver> iterative_;                    ///< of the others
};

}  // namespace cone
