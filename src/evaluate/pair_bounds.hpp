#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "evaluate/decide.hpp"

namespace cone {

/// Bounds the confounding bias of differences of policies (PairBias). The value of the logged
/// policy has none. That of two other policies is the bias of the contrast of their probabilities,
/// which is far below the sum of both where they agree on most units; it is bounded by the sum
/// where the contrasts of all pairs would take long.
class PairBounds {
 public:
  /// `tables`, `estimates`: of the compared policies; estimates are nullptr for the logged policy
  /// and for policies that equal it. `compared` must outlive the bounds.
  PairBounds(const Comparable& compared, std::vector<const Matrix<double>*> tables,
             std::vector<const Estimate*> estimates);

  /// None where an estimate has no sensitivity interval.
  std::optional<BiasBound> operator()(std::size_t first, std::size_t second) const;

 private:
  BiasBound bound_contrast(std::size_t first, std::size_t second) const;

  const Comparable& compared_;
  std::vector<const Matrix<double>*> tables_;
  std::vector<const Estimate*> estimates_;
  bool takes_contrasts_ = false;
};

}  // namespace cone
