#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/count_factor.hpp"
#include "network_ridge/small_factors.hpp"

namespace cone {

/// Limits on the factor of a preconditioner.
struct PreconditionerSize {
  std::size_t rank = 0;                        ///< of the random part
  std::size_t rank_for_neighbour_effects = 0;  ///< the same where it has neighbour effects only
  std::size_t count_columns = 0;               ///< the most, of the count factor
};

/// The count features of ghost neighbours, fetched on first use: the preconditioners of all arms
/// share them. The inputs must outlive it.
class GhostCounts {
 public:
  explicit GhostCounts(const RidgeInputs& inputs) : inputs_(inputs) {}
  /// Collective on first use.
  const SparseMatrix& get();

 private:
  const RidgeInputs& inputs_;
  std::optional<SparseMatrix> counts_;
};

/// M = U·U' + D of every task of an arm: low rank plus diagonal. U is exact for the groups of count
/// features that dominate the noise (CountFactor), and a randomised Nyström approximation of the
/// other groups (Halko, Martinsson and Tropp 2011, "Finding structure with randomness"). D is the
/// noise and the diagonal of the remainder of groups with as many effects as positions, neighbour
/// effects above all. Applies M⁻¹ (Woodbury) and the projection on B'x = 0 in its inner product.
/// The equations must outlive it.
class RidgePreconditioner {
 public:
  RidgePreconditioner(const Context& context, const ArmEquations& equations,
                      PreconditionerSize size, GhostCounts& ghosts);

  /// Returns z, per column: v = (B'M⁻¹B)⁻¹(B'M⁻¹r − g), z = M⁻¹(r − B·v), so B'z = g. `r` becomes
  /// r − B·v, and v is added to `lambda`. Tables have one row per position of the arm; g and λ have
  /// kNumFixed.
  Matrix<double> project(const Context& context, std::span<const std::size_t> tasks,
                         const Matrix<double>* g, Matrix<double>& r, Matrix<double>& lambda) const;

 private:
  Matrix<double> apply(const Context& context, std::span<const std::size_t> tasks,
                       const Matrix<double>& r) const;
  std::size_t rank() const { return counts_.num_columns() + factor_.cols(); }
  void make_factor(const Context& context, const GroupStrengths& rest, std::size_t rank);
  void make_small_factors(const Context& context, GhostCounts& ghosts);
  void make_fixed(const Context& context);

  const ArmEquations& equations_;
  CountFactor counts_;                         ///< the first columns of U
  Matrix<double> factor_;                      ///< the others, positions × rank
  std::vector<double> inverse_;                ///< D⁻¹
  std::optional<SmallFactors> small_;          ///< of I + U'D⁻¹U
  Matrix<double> fixed_;                       ///< B: positions × kNumFixed
  Matrix<double> solved_fixed_;                ///< M⁻¹B: positions × (tasks · kNumFixed)
  std::vector<Matrix<double>> fixed_inverse_;  ///< by task: (B'M⁻¹B)⁻¹ on the arm's fixed effects
};

}  // namespace cone
