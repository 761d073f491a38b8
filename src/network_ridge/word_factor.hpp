#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"

namespace cone {

/// The part of an arm's kernel that groups of words make up, as a factor U with one column per word
/// and group: U·U' is that part exactly. No entry is stored; products go over features and network.
/// In large data every word explains far more than the noise, so a random factor of some hundred
/// columns leaves most of it to the iterations. The equations must outlive it.
class WordFactor {
 public:
  /// Takes the groups that explain most, as long as they have no more than `most_columns` together
  /// and stand out of `diagonal`, one number per position of the arm: noise, and what else a
  /// preconditioner holds as if it were noise.
  WordFactor(const ArmEquations& equations, std::span<const double> diagonal,
             std::size_t most_columns);

  std::size_t num_columns() const;
  /// Of these, how many are own words: the first, with few entries per row.
  std::size_t num_own_columns() const;
  bool has(GroupKind kind) const;

  /// What this process has of U'·V, num_columns() × columns of V. V: positions of the arm ×
  /// columns.
  Matrix<double> multiply_transposed(const Context& context, const Matrix<double>& v) const;
  /// out += U·T; T: num_columns() × columns.
  void add_product(const Context& context, MatrixView<const double> t, Matrix<double>& out) const;
  /// The entry of U for an own word is this times the position's entry for it.
  double own_strength() const { return strength(GroupKind::kOwnCounts); }
  /// Rows of U without own words, given by rows of the arm, as columns of `out` (its first rows).
  /// `elsewhere` are the words of neighbours that other processes have.
  void write_rows(const Context& context, std::span<const std::uint32_t> rows,
                  const SparseMatrix& elsewhere, Matrix<double>& out) const;

 private:
  double strength(GroupKind kind) const;

  const ArmEquations& equations_;
  std::vector<GroupKind> kinds_;
};

}  // namespace cone
