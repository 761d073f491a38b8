#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/equation_source.hpp"
#include "network_ridge/group_strengths.hpp"

namespace cone {

/// The mixed-model equations of one arm (see RidgeSystem) on tables with one row per position of
/// the arm on this rank. The equations of different arms are independent, so a pass over
/// features and network covers the arm's own lists only, and an arm that has converged costs
/// nothing more. The source must outlive it.
class ArmEquations {
 public:
  ArmEquations(const Context& context, const EquationSource& source, std::size_t arm);

  /// The position of the first row.
  std::size_t first_position() const { return first_; }
  std::size_t num_positions() const { return count_; }
  /// Over all ranks: the arm's positions, and those among them that any task learns from.
  std::size_t num_positions_of_all() const { return count_of_all_; }
  std::size_t num_learning_of_all() const { return learning_of_all_; }
  std::size_t num_tasks() const { return tables_.learns_from.size(); }
  std::size_t num_counts() const { return tables_.counts->cols(); }
  const EquationTables& tables() const { return tables_; }
  const EquationSource& source() const { return source_; }
  const Communicator& comm() const { return source_.comm(); }
  const ArmModel& model() const { return tables_.arms[arm_]; }
  const GroupStrengths& strengths() const { return strengths_; }
  double noise(std::size_t row) const { return noise_[row]; }
  double fixed_effect(std::size_t row, std::size_t column) const {
    return fixed_effect_of(tables_.relative_degree[first_ + row], column);
  }
  bool learns(std::size_t task, std::size_t row) const {
    return tables_.learns_from[task][first_ + row] != 0;
  }
  /// Whether any task learns from the position.
  bool learns_at_all(std::size_t row) const;

  /// S'V with S = A_J (sums) or D_J⁻¹A_J (means), A_J the rows of the adjacency matrix of the arm's
  /// positions on all ranks: one row for every position of any arm on this rank.
  Matrix<double> multiply_adjacency_transposed(const Context& context, const Matrix<double>& v,
                                               bool averages) const;
  /// S·W with the same S: the sum or the mean of the rows of W over all neighbours of the arm's
  /// positions, ghosts included. W has one row for every position of any arm on this rank.
  Matrix<double> multiply_adjacency(const Context& context, bool averages,
                                    const Matrix<double>& w) const;

  /// K·V with the given variances instead of the arm's.
  Matrix<double> multiply_kernel(const Context& context, const GroupStrengths& strengths,
                                 const Matrix<double>& v) const;
  /// (K + N)·X, zero where the column's task does not learn from the position; X must be zero
  /// there.
  Matrix<double> multiply(const Context& context, std::span<const std::size_t> tasks,
                          const Matrix<double>& x) const;
  /// f − (K + N)·x − B·λ and g − B'x of the arm; g and λ have kNumFixed rows, the same on all
  /// ranks.
  RidgeSides find_residual(const Context& context, RidgeSides sides,
                           std::span<const std::size_t> tasks, const RidgeSolution& at) const;

 private:
  void count_positions();
  void list_members(const Context& context);
  void connect_neighbours();
  /// The rows of a table of the arm divided by their degrees.
  Matrix<double> divide_by_degree(const Context& context, Matrix<double> v) const;
  Matrix<double> multiply_neighbour_kernel(const Context& context, const GroupStrengths& strengths,
                                           const Matrix<double>& v, bool averages,
                                           BatchedAllreduce& sums) const;

  const EquationSource& source_;
  EquationTables tables_;
  std::size_t arm_;
  std::size_t first_;
  std::size_t count_;
  std::size_t count_of_all_ = 0;
  std::size_t learning_of_all_ = 0;
  GroupStrengths strengths_;
  std::vector<double> noise_;
  std::vector<std::uint64_t> offsets_;  ///< positions of all arms + 1: start of a position's list
  std::vector<std::uint32_t> rows_;     ///< of its neighbours in the arm, in tables with ghosts
  std::unique_ptr<GhostRows> arm_ghosts_;
  std::unique_ptr<GhostRows> neighbour_ghosts_;
  std::vector<std::uint64_t> list_offsets_;  ///< positions of the arm + 1
  std::span<const std::uint32_t>
      lists_;  ///< all neighbours of the arm's positions, as rows of tables with ghosts
  std::vector<std::uint32_t>
      ghosted_lists_;  ///< owns them where they differ from the source's lists
};

}  // namespace cone
