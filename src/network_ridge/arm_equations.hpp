#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/position_range.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The mixed-model equations of one arm (see RidgeSystem) on tables with one row per position of
/// the arm on this rank. The equations of different arms are independent, so a pass over
/// features and network covers the arm's own lists only, and an arm that has converged costs
/// nothing more. The system must outlive it, and the arm must have been learnt.
class ArmEquations {
 public:
  ArmEquations(const Context& context, const RidgeSystem& system, std::size_t arm);

  std::size_t arm() const { return arm_; }
  const PositionRange& range() const { return range_; }
  /// The position of the first row.
  std::size_t first_position() const { return range_.begin(); }
  std::size_t num_positions() const { return range_.size(); }
  /// Over all ranks: the arm's positions that any task learns from.
  std::size_t num_learning_of_all() const { return learning_of_all_; }
  std::size_t num_positions_of_all() const { return inputs().arm_size_of_all(arm_); }
  std::size_t num_tasks() const { return system_.num_tasks(); }
  std::size_t num_counts() const { return inputs().counts.cols(); }
  const RidgeSystem& system() const { return system_; }
  const RidgeInputs& inputs() const { return *system_.inputs; }
  const Communicator& comm() const { return *inputs().comm; }
  const ArmModel& model() const { return system_.arms[arm_]; }
  const GroupStrengths& strengths() const { return strengths_; }
  double noise(std::size_t row) const { return noise_[row]; }
  double fixed_effect(std::size_t row, std::size_t column) const {
    return system_.fixed_effect(first_position() + row, column);
  }
  bool learns(std::size_t task, std::size_t row) const {
    return system_.learns_from[task][first_position() + row] != 0;
  }
  /// Whether any task learns from the position.
  bool learns_at_all(std::size_t row) const;

  /// K·V with the given variances instead of the arm's.
  Matrix<double> multiply_kernel(const Context& context, const GroupStrengths& strengths,
                                 const Matrix<double>& v) const;
  /// (K + N)·X, zero where the column's task does not learn from the position; X must be zero
  /// there.
  Matrix<double> multiply(const Context& context, std::span<const std::size_t> tasks,
                          const Matrix<double>& x) const;
  /// f − (K + N)·x − B·λ and g − B'x of the arm; g and λ have kNumFixed rows, the same on all
  /// ranks. Rows of f that the column's task does not learn from stay as they are; rows of g for
  /// fixed effects that the arm drops are meaningless.
  RidgeSides find_residual(const Context& context, RidgeSides sides,
                           std::span<const std::size_t> tasks, const RidgeSolution& at) const;

 private:
  const RidgeSystem& system_;
  std::size_t arm_;
  GroupStrengths strengths_;
  PositionRange range_;
  std::size_t learning_of_all_ = 0;
  std::vector<double> noise_;
};

/// One step of iterative refinement for some arms: `solve` for the right-hand sides, then for the
/// residual, which is zero for the other arms. Explicit inverses lose digits where the noise is
/// tiny and nodes are alike; this restores them for one more product.
RidgeSolution solve_twice(const Context& context,
                          std::span<const std::unique_ptr<ArmEquations>> arms,
                          const RidgeSides& sides, std::span<const std::size_t> tasks,
                          const std::function<RidgeSolution(const RidgeSides&)>& solve);

/// The diagonal of an arm's kernel, one number per position of the arm, in two parts.
struct KernelDiagonal {
  /// Groups with at least as many effects as the arm has positions: a flat spectrum, which the
  /// diagonal approximates well.
  std::vector<double> spread;
  /// All other groups: a few directions dominate, which the diagonal cannot represent.
  std::vector<double> narrow;
};

/// With the given variances instead of the arm's. O(positions).
KernelDiagonal find_kernel_diagonal(const ArmEquations& equations, const GroupStrengths& strengths);

}  // namespace cone
