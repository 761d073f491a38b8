#pragma once

#include <span>
#include <vector>

#include "distributed/rank_system.hpp"

namespace cone::distributed {

/// M = U·U' + N of every arm and task, U a random factor of the kernel (Nyström) whose rows are
/// spread over the ranks. Applies M⁻¹ and the projection on B'x = 0 that belongs to it, as
/// network_ridge/preconditioner.hpp does on one machine.
class RankPreconditioner {
 public:
  RankPreconditioner(const Context& context, const RankSystem& system, std::size_t rank);

  /// Per column and arm: v = (B'M⁻¹B)⁻¹(B'M⁻¹r − g), z = M⁻¹(r − B·v), so B'z = g. `v` is
  /// (arms · fixed effects) × columns; g may be nullptr for zero.
  Matrix<double> project(const Context& context, std::span<const std::size_t> tasks,
                         const Matrix<double>& r, const Matrix<double>* g, Matrix<double>& v) const;

 private:
  Matrix<double> apply(const Context& context, std::span<const std::size_t> tasks,
                       const Matrix<double>& r) const;
  void make_factor(const Context& context, std::size_t rank);
  void measure_rest(const Context& context);
  void make_small_factors(const Context& context);
  void make_fixed(const Context& context);

  const RankSystem& system_;
  /// What the factor leaves of the kernel's diagonal, as the random vectors see it.
  std::vector<double> left_;
  std::vector<double> inverse_noise_;               ///< of the noise and of what is left
  Matrix<double> factor_;                           ///< places × rank
  std::vector<std::vector<Matrix<double>>> inner_;  ///< arms × tasks: Cholesky of I + U'N⁻¹U
  std::vector<std::vector<Matrix<double>>> fixed_inverse_;  ///< arms × tasks: (B'M⁻¹B)⁻¹
  Matrix<double> solved_fixed_;                             ///< M⁻¹B: places × (tasks · fixed)
};

}  // namespace cone::distributed
