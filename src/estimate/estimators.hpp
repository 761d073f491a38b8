#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/matrix.hpp"
#include "data/arms.hpp"
#include "estimate/value_and_influence.hpp"
#include "options/options.hpp"

// The formulas, each a pure function of spans of one length n (the evaluation nodes). Where a value
// does not exist (no weight at all, an arm without nodes) it is NaN; nothing throws.

namespace cone {

/// How residuals correct the direct method (docs/method.md, section 4).
enum class Correction {
  kSelfNormalised,  ///< Σ w r / Σ w: what SNIPS means, and the default
  kLiteral,         ///< as the paper prints it: divides by n twice, so nearly no correction
  kPlain,           ///< mean of w r: classic doubly robust
};

template <>
struct EnumNames<Correction> {
  static constexpr std::array<std::pair<Correction, std::string_view>, 3> kNames = {
      {{Correction::kSelfNormalised, "self_normalised"},
       {Correction::kLiteral, "literal"},
       {Correction::kPlain, "plain"}}};
};

/// Σ_a π̄_a·ȳ_a: takes the arms as comparable, which confounding denies. The yardstick that shows
/// what adjusting buys.
ValueAndInfluence arm_means(std::span<const Arm> arm, std::span<const double> outcome,
                            MatrixView<const double> policy);

/// mean of w·y.
ValueAndInfluence inverse_propensity(std::span<const double> weights,
                                     std::span<const double> outcome);

/// Σ w·y / Σ w. Influence by the delta method for a ratio: w (y − τ̂) / w̄.
ValueAndInfluence self_normalised(std::span<const double> weights, std::span<const double> outcome);

/// m_i = Σ_a π_a(i)·μ_a(i): the utility of node i according to the outcome model.
std::vector<double> expected_outcome(MatrixView<const double> policy, MatrixView<const double> mu);

/// y_i − μ_{t_i}(i).
std::vector<double> residuals(std::span<const Arm> arm, std::span<const double> outcome,
                              MatrixView<const double> mu);

/// Doubly robust scores, nodes × arms: Γ_a(i) = μ_a(i) + 1{t_i = a}·(y_i − μ_a(i)) / e_a(i). The
/// mean of Σ_a π_a(i)·Γ_a(i) is the plain doubly robust value of any policy; differences of columns
/// are scores of effects.
Matrix<double> doubly_robust_scores(std::span<const Arm> arm, std::span<const double> outcome,
                                    MatrixView<const double> mu,
                                    MatrixView<const double> propensity);

/// mean of m. The influence holds the spread of m only: the uncertainty of the fitted model itself
/// is added by whoever fitted it.
ValueAndInfluence direct_method(std::span<const double> expected);

/// mean of m + the correction of residuals r by weights w.
ValueAndInfluence doubly_robust(std::span<const double> expected, std::span<const double> weights,
                                std::span<const double> residual, Correction correction);

}  // namespace cone
