#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/ridge_system.hpp"
#include "network_ridge/word_factor.hpp"

namespace cone {

/// How large the factor of a preconditioner may be.
struct PreconditionerSize {
  std::size_t rank = 0;          ///< of the random part
  std::size_t word_columns = 0;  ///< at most, of the part that is words
};

/// M = U·U' + N of every arm and task. U is a factor of the largest part of the kernel: words that
/// stand far out of the noise as they are, and of what is left a random part (Nyström, on a block
/// of random vectors). Applies M⁻¹ and the projection on B'x = 0 that belongs to it.
class RidgePreconditioner {
 public:
  RidgePreconditioner(const Context& context, const RidgeSystem& system, PreconditionerSize size);

  /// Per column and arm: v = (B'M⁻¹B)⁻¹(B'M⁻¹r − g), z = M⁻¹(r − B·v), so B'z = g. `r` becomes
  /// r − B·v, and v is added to `lambda`.
  Matrix<double> project(const Context& context, std::span<const std::size_t> tasks,
                         const Matrix<double>* g, Matrix<double>& r, Matrix<double>& lambda) const;

 private:
  struct SmallFactors {
    Matrix<double> inner;          ///< Cholesky factor of I + U'N⁻¹U
    Matrix<double> fixed_inverse;  ///< (B'M⁻¹B)⁻¹, on the fixed effects that the arm has
  };
  Matrix<double> apply(const Context& context, std::span<const std::size_t> tasks,
                       const Matrix<double>& r) const;
  void mask(std::span<const std::size_t> tasks, Matrix<double>& v) const;
  void make_factor(const Context& context, std::size_t rank);
  void make_small_factors(const Context& context);
  Matrix<double> weigh_products(const Context& context, std::size_t arm,
                                std::span<const std::uint32_t> places) const;
  void make_fixed(const Context& context);

  const RidgeSystem& system_;
  std::vector<double> inverse_noise_;
  WordFactor words_;                              ///< the first columns of U
  Matrix<double> factor_;                         ///< the others, places × rank
  std::vector<std::vector<SmallFactors>> small_;  ///< arms × tasks
  Matrix<double> solved_fixed_;                   ///< M⁻¹B: places × (tasks · kNumFixed)
};

}  // namespace cone
