#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"

namespace cone {

/// An exact factor U of the part of an arm's kernel that comes from groups of count features, with
/// one column per feature and group: U·U' is that part. No entry is stored; products go over
/// features and network. In large data the direction of every count feature dominates the noise, so
/// a random factor of some hundred columns would leave most of it to the iterations. The equations
/// must outlive it.
class CountFactor {
 public:
  /// Takes the groups with the largest signal-to-noise ratio, as long as they have at most
  /// `most_columns` columns together and dominate `diagonal`, one number per position of the arm:
  /// the noise and the part of the kernel that the preconditioner treats as noise.
  CountFactor(const ArmEquations& equations, std::span<const double> diagonal,
              std::size_t most_columns);

  std::size_t num_columns() const;
  /// How many of them are own count features: the first ones, with few entries per row.
  std::size_t num_own_columns() const;
  bool has(GroupKind kind) const;

  /// This rank's part of U'·V, num_columns() × columns of V. V: positions of the arm × columns.
  Matrix<double> multiply_transposed(const Context& context, const Matrix<double>& v) const;
  /// out += U·T; T: num_columns() × columns.
  void add_product(const Context& context, MatrixView<const double> t, Matrix<double>& out) const;
  /// The entry of U for an own count feature is this times the position's value of it.
  double own_strength() const { return strength(GroupKind::kOwnCounts); }
  /// Writes the rows of U at some rows of the arm, without own count features, as columns of `out`.
  /// `ghosts` are the count features of ghost neighbours.
  void write_rows(const Context& context, std::span<const std::uint32_t> rows,
                  const SparseMatrix& ghosts, Matrix<double>& out) const;

 private:
  double strength(GroupKind kind) const;

  const ArmEquations& equations_;
  std::vector<GroupKind> kinds_;
};

/// U'·diag(weights)·U over some rows of an arm, U = (counts, factor): symmetric, both triangles.
/// `ghosts` are the count features of ghost neighbours. O(rows · columns²) over the columns that
/// are not own count features: those are sparse, and their products cost less than the other ones.
Matrix<double> weigh_factor_products(const Context& context, const ArmEquations& equations,
                                     const CountFactor& counts, const SparseMatrix& ghosts,
                                     const Matrix<double>& factor, std::span<const double> weights,
                                     std::span<const std::uint32_t> rows);

}  // namespace cone
