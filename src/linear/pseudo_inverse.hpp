#pragma once

#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The Moore–Penrose inverse of a dense symmetric positive semi-definite matrix G, in factors.
///
/// G is scaled to a unit diagonal, so that the units of a column have no effect, and factorised
/// with pivoting, which costs a fifth more than without. The factor ends at pivots below about
/// 2·m·epsilon, which give the rank r and a basis N of the null space (k = m − r columns), and with
/// the generalised inverse B of the leading block
///     G⁺ = Π B Π,   Π = I − N (N'N)⁻¹ N'.
/// O(m³/3 + r²k + m k²) to build, O(m²) per right-hand side.
class PseudoInverse {
 public:
  /// Reads the lower triangle of G, m × m. Throws Error(kData) unless it is finite.
  PseudoInverse(const Context& context, Matrix<double> g);

  std::size_t rank() const { return rank_; }
  /// Replaces every row of `right_hand_sides` (any number × m) by G⁺ times it.
  void solve(Matrix<double>& right_hand_sides) const;
  /// The trace of G⁻¹ for a G of full rank. O(m³/3).
  double trace_of_inverse(const Context& context) const;

 private:
  void factorise(const Context& context);
  /// null_space_ and null_gram_factor_, from the rows of the factor beyond the rank.
  void find_null_space(const Context& context);
  void remove_null_space(Matrix<double>& right_hand_sides) const;

  std::size_t size_;
  std::size_t rank_;
  std::vector<double> scale_;        // square roots of the diagonal of G
  std::vector<std::size_t> pivot_;   // position in the factor → index in G
  Matrix<double> factor_;            // row-major lower triangle L of the scaled, permuted G = LL'
  Matrix<double> null_space_;        // N', k × m
  Matrix<double> null_gram_factor_;  // Cholesky factor of N'N, k × k
};

}  // namespace cone
