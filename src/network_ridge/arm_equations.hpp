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

/// The equations of one arm (see RidgeSystem) on tables with one row per position of the arm that
/// this process has. An arm sees no other arm's positions, so a pass over features and network is
/// over its own lists only, and an arm that is solved costs nothing more. The source must outlive
/// it.
class ArmEquations {
 public:
  ArmEquations(const Context& context, const EquationSource& source, std::size_t arm);

  /// The position of the first row.
  std::size_t first_position() const { return first_; }
  std::size_t num_positions() const { return count_; }
  /// Over all processes: the positions of the arm, and those that any task learns from.
  std::size_t num_positions_of_all() const { return count_of_all_; }
  std::size_t num_learning_of_all() const { return learning_of_all_; }
  std::size_t num_tasks() const { return tables_.learns_from.size(); }
  std::size_t num_words() const { return tables_.words->cols(); }
  const EquationTables& tables() const { return tables_; }
  const EquationSource& source() const { return source_; }
  const Totals& totals() const { return source_.totals(); }
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

  /// Σ_i A_ji·v_i over the arm's positions i of all processes, each divided by its degree where
  /// neighbours average, for every position j of any arm that this process has.
  Matrix<double> send_to_neighbours(const Context& context, const Matrix<double>& v,
                                    bool averages) const;
  /// Σ_j A_ij·w_j over all neighbours j, with whichever process, divided by the degree where
  /// neighbours average, for the arm's positions i. W has a row for every position of any arm that
  /// this process has.
  Matrix<double> sum_over_neighbours(const Context& context, bool averages,
                                     const Matrix<double>& w) const;

  /// K·V with the given strengths instead of the arm's.
  Matrix<double> multiply_kernel(const Context& context, const GroupStrengths& strengths,
                                 const Matrix<double>& v) const;
  /// (K + N)·X, zero where the column's task does not learn; X must be zero there.
  Matrix<double> multiply(const Context& context, std::span<const std::size_t> tasks,
                          const Matrix<double>& x) const;
  /// f − (K + N)·x − B·λ and g − B'x of the arm; g and λ have kNumFixed rows, of all processes.
  RidgeSides find_residual(const Context& context, RidgeSides sides,
                           std::span<const std::size_t> tasks, const RidgeSolution& at) const;

 private:
  void count_positions();
  void list_members(const Context& context);
  void connect_neighbours();
  /// Rows of a table of the arm, divided by their degrees.
  Matrix<double> divide_by_degree(const Context& context, Matrix<double> v) const;
  Matrix<double> pass_through_neighbours(const Context& context, const GroupStrengths& strengths,
                                         const Matrix<double>& v, bool averages,
                                         WaitingSums& sums) const;

  const EquationSource& source_;
  EquationTables tables_;
  std::size_t arm_;
  std::size_t first_;
  std::size_t count_;
  std::size_t count_of_all_ = 0;
  std::size_t learning_of_all_ = 0;
  GroupStrengths strengths_;
  std::vector<double> noise_;
  std::vector<std::uint64_t>
      offsets_;                      ///< positions of all arms + 1: where a position's list starts
  std::vector<std::uint32_t> rows_;  ///< of its neighbours in the arm, as they are seen
  std::unique_ptr<RowsElsewhere> members_elsewhere_;
  std::unique_ptr<RowsElsewhere> neighbours_elsewhere_;
  std::vector<std::uint64_t> list_offsets_;  ///< positions of the arm + 1
  std::span<const std::uint32_t>
      lists_;  ///< all neighbours of the arm's positions, as they are seen
  std::vector<std::uint32_t> seen_lists_;  ///< these, where they are not the source's lists
};

}  // namespace cone
