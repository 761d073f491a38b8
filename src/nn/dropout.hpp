#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "base/random.hpp"

namespace cone::nn {

/// Dropout (Srivastava et al. 2014, "Dropout: a simple way to prevent neural networks from
/// overfitting") of one epoch, inverted: every value of a row is kept with probability 1 − rate and
/// divided by it, else set to zero. The draws of a row are a function of (seed, epoch, layer, the
/// row's key), so the mask need not be stored, does not depend on the number of threads and moves
/// with the row when rows are permuted.
struct Dropout {
  double rate = 0;  ///< below 1
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::span<const std::uint64_t> row_keys;

  Rng rng(std::uint64_t layer, std::size_t row) const {
    return {seed, Stream::kDropout, row_keys[row] ^ (epoch << 8 | layer) * 0x9E3779B97F4A7C15ULL};
  }
  /// Values with a 32-bit draw below this are dropped.
  std::uint32_t threshold() const { return static_cast<std::uint32_t>(rate * 0x1p32); }
};

/// x ← x ∘ mask / (1 − rate), in place. The backward pass is the same call on the gradient.
template <class Real>
void apply_dropout(const Context& context, const Dropout& dropout, std::uint64_t layer,
                   MatrixView<Real> x);

}  // namespace cone::nn
