#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_strengths.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The equations of one arm (see RidgeSystem) on tables with one row per place of the arm. An arm
/// sees no other arm's places, so a pass over features and network is over its own lists only, and
/// an arm that is solved costs nothing more. The system must outlive it.
class ArmEquations {
 public:
  ArmEquations(const Context& context, const RidgeSystem& system, std::size_t arm);

  const RidgeSystem& system() const { return system_; }
  std::size_t arm() const { return arm_; }
  /// The place of the first row.
  std::size_t first_place() const { return first_; }
  std::size_t num_places() const { return count_; }
  const GroupStrengths& strengths() const { return strengths_; }
  double noise(std::size_t row) const { return noise_[row]; }
  bool learns(std::size_t task, std::size_t row) const {
    return system_.learns_from[task][first_ + row] != 0;
  }
  /// Whether any task learns from the place.
  bool learns_at_all(std::size_t row) const;

  /// Σ_i A_ji·v_i over the arm's places i, for every place j of any arm.
  Matrix<double> send_to_friends(const Context& context, const Matrix<double>& v) const;
  /// Σ_j A_ij·w_j over all friends j, for the arm's places i.
  Matrix<double> sum_over_friends(const Context& context, MatrixView<const double> w) const;
  /// The same rows, each divided by its degree.
  Matrix<double> divide_by_degree(const Context& context, Matrix<double> v) const;

  /// K·V with the given strengths instead of the arm's.
  Matrix<double> multiply_kernel(const Context& context, const GroupStrengths& strengths,
                                 const Matrix<double>& v) const;
  /// (K + N)·X, zero where the column's task does not learn; X must be zero there.
  Matrix<double> multiply(const Context& context, std::span<const std::size_t> tasks,
                          const Matrix<double>& x) const;
  /// f − (K + N)·x − B·λ and g − B'x of the arm; g and λ have kNumFixed rows.
  RidgeSides find_residual(const Context& context, RidgeSides sides,
                           std::span<const std::size_t> tasks, const RidgeSolution& at) const;

 private:
  const RidgeSystem& system_;
  std::size_t arm_;
  std::size_t first_;
  std::size_t count_;
  GroupStrengths strengths_;
  std::vector<double> noise_;
  std::vector<std::uint64_t> offsets_;  ///< places of all arms + 1: where a place's list starts
  std::vector<std::uint32_t> rows_;     ///< of its friends in the arm
};

}  // namespace cone
