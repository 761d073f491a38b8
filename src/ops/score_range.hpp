#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "ops/padded_scores.hpp"

namespace cone::ops {

/// The range of the scores q_j of each head. With c the middle of the range,
///
///   exp(LeakyReLU(s_i + q_j) − m_i) = max(A_i E_j, B_i F_j)
///   A_i = exp(s_i + c − m_i)     B_i = exp(slope (s_i + c) − m_i)
///   E_j = exp(q_j − c)           F_j = exp(slope (q_j − c))
///
/// since LeakyReLU(x) = max(x, slope · x): two exponentials per node instead of one per edge. The
/// first product is the larger one exactly where s_i + q_j > 0, up to rounding.
///
/// m_i differs from the largest e_ij by at most about the logarithm of the number of neighbours.
/// Then, while the range is at most kLargestSpread:
///   - no factor overflows;
///   - the factors of pairs that matter are normal numbers;
///   - exponentials are cut off at a smallest value (exp-inl.hpp). That adds at most
///     exp(smallest + spread / 2), about 1e-16 of a node's total weight in single precision.
template <class T>
class ScoreRange {
 public:
  static constexpr T kLargestSpread = sizeof(T) == sizeof(float) ? 100 : 1000;

  ScoreRange(const Context& context, MatrixView<const T> scores)
      : middle_(padded_heads<T>(scores.cols())) {
    constexpr std::size_t kRowsPerPiece = 4096;
    const auto ranges = context.map_ranges<std::vector<Interval>>(
        scores.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
          std::vector<Interval> piece(scores.cols());
          for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t k = 0; k < piece.size(); ++k) piece[k].include(scores(i, k));
          }
          return piece;
        });
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      Interval all;
      for (const std::vector<Interval>& piece : ranges) {
        all.include(piece[k].low);
        all.include(piece[k].high);
      }
      // Also taken where a score is NaN.
      if (!(all.high - all.low <= kLargestSpread)) is_narrow_ = false;
      middle_[k] = all.low + (all.high - all.low) / 2;
    }
  }

  /// Whether the product form above holds for all heads.
  bool is_narrow() const { return is_narrow_; }
  /// c of each head, padded with zeros.
  const T* middle() const { return middle_.data(); }

 private:
  struct Interval {
    T low = std::numeric_limits<T>::infinity();
    T high = -std::numeric_limits<T>::infinity();

    void include(T value) {
      // NaN fails every comparison and is stored.
      low = low <= value ? low : value;
      high = high >= value ? high : value;
    }
  };

  std::vector<T> middle_;
  bool is_narrow_ = true;
};

}  // namespace cone::ops
