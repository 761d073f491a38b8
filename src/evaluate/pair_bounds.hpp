#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/confounding_strength.hpp"

namespace cone {

/// Bounds the confounding bias of differences of policies (PairBias). The value of the logged
/// policy has none. That of two other policies is the bias of the contrast of their probabilities,
/// which is far below the sum of both where they agree on most units; it is bounded by the sum
/// where the contrasts of all pairs would take long.
class PairBounds {
 public:
  /// `residual`: of the outcome model, empty without one; `strength`: nullptr without sensitivity
  /// intervals. `tables`, `estimates`: of the compared policies; estimates are nullptr for the
  /// logged policy and for policies that equal it. All must outlive the bounds. Collective.
  PairBounds(const LoggedSample& sample, std::span<const double> residual,
             const NetworkStrength* strength, std::vector<const Matrix<double>*> tables,
             std::vector<const Estimate*> estimates);

  /// None where an estimate has no sensitivity interval.
  std::optional<BiasBound> operator()(std::size_t first, std::size_t second) const;

 private:
  BiasBound bound_contrast(std::size_t first, std::size_t second) const;

  const LoggedSample& sample_;
  std::span<const double> residual_;
  const NetworkStrength* strength_;
  std::vector<const Matrix<double>*> tables_;
  std::vector<const Estimate*> estimates_;
  bool takes_contrasts_ = false;
};

}  // namespace cone
