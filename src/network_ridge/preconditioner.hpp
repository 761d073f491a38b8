#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/small_factors.hpp"
#include "network_ridge/word_factor.hpp"

namespace cone {

/// How large the factor of a preconditioner may be.
struct PreconditionerSize {
  std::size_t rank = 0;  ///< of the random part
  std::size_t rank_for_neighbours =
      0;                         ///< the same where it holds nothing but effects of neighbours
  std::size_t word_columns = 0;  ///< at most, of the part that is words
};

/// M = U·U' + D of every task of an arm. U is a factor of the largest part of the kernel: words
/// that stand far out as they are, and of what is left a random part (Nyström, on a block of random
/// vectors). D is the noise and the diagonal of what U leaves of effects that are as many as
/// positions, those of neighbours above all. Applies M⁻¹ and the projection on B'x = 0 that belongs
/// to it. The equations must outlive it.
class RidgePreconditioner {
 public:
  RidgePreconditioner(const Context& context, const ArmEquations& equations,
                      PreconditionerSize size);

  /// Per column: v = (B'M⁻¹B)⁻¹(B'M⁻¹r − g), z = M⁻¹(r − B·v), so B'z = g. `r` becomes r − B·v, and
  /// v is added to `lambda`. Tables have one row per position of the arm; g and λ kNumFixed.
  Matrix<double> project(const Context& context, std::span<const std::size_t> tasks,
                         const Matrix<double>* g, Matrix<double>& r, Matrix<double>& lambda) const;

 private:
  Matrix<double> apply(const Context& context, std::span<const std::size_t> tasks,
                       const Matrix<double>& r) const;
  std::size_t rank() const { return words_.num_columns() + factor_.cols(); }
  void make_factor(const Context& context, const GroupStrengths& rest, std::size_t rank);
  void make_small_factors(const Context& context);
  void make_fixed(const Context& context);

  const ArmEquations& equations_;
  WordFactor words_;                   ///< the first columns of U
  Matrix<double> factor_;              ///< the others, positions × rank
  std::vector<double> inverse_;        ///< D⁻¹
  std::optional<SmallFactors> small_;  ///< of I + U'D⁻¹U
  Matrix<double> fixed_;               ///< B: positions × kNumFixed
  Matrix<double> solved_fixed_;        ///< M⁻¹B: positions × (tasks · kNumFixed)
  std::vector<Matrix<double>>
      fixed_inverse_;  ///< by task: (B'M⁻¹B)⁻¹, on the fixed effects that the arm has
};

}  // namespace cone
