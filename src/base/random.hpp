#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include <Random123/philox.h>

namespace cone {

/// What a random draw is for. Each purpose owns a stream, so adding draws to one never moves
/// another. Append only: the numbers are part of every published result.
enum class Stream : std::uint32_t {
  kSplit = 1,
  kSelection = 2,
  kPolicyWeights = 3,
  kTopicModel = 4,
  kCentroid = 5,
  kEdgeWeights = 6,
  kTreatment = 7,
  kOutcomeNoise = 8,
  kNetwork = 9,
  kWords = 10,
  kWorld = 11,
  kTest = 12,
  kInitialisation = 13,
  kDropout = 14,
  kPermutation = 15,
  kPropensityFolds = 16,
  kPreconditioner = 17,
  kPosterior = 18,
  kDependence = 19,
  kComparison = 20,
  kRefuter = 21,
  kNeighbourhoodDraws = 22,
  kSpectralStart = 23,
};

/// A counter-based generator (Philox 4×32-10; Salmon, Moraes, Dror and Shaw 2011, Parallel random
/// numbers: as easy as 1, 2, 3): the draws of (seed, stream, item) are a pure function of those
/// three, whatever was drawn elsewhere and on however many threads. Cheap to construct (no state to
/// warm up), so make one per item and discard it.
class Rng {
 public:
  Rng(std::uint64_t seed, Stream stream, std::uint64_t item = 0)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(item),
                  static_cast<std::uint32_t>(item >> 32)}} {}

  std::uint32_t next_u32() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  /// As if `count` numbers of 32 bits had been drawn. Only before the first draw.
  void skip(std::uint64_t count) {
    counter_[0] += static_cast<std::uint32_t>(count / 4);
    used_ = 4;
    for (std::uint64_t k = 0; k < count % 4; ++k) next_u32();
  }
  std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return high << 32 | next_u32();
  }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform on (0, 1]: safe to take the logarithm of.
  double uniform_positive() { return 1.0 - uniform(); }
  /// Uniform on {0, ..., bound − 1}; bound > 0. Unbiased (rejection).
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t threshold = -bound % bound;
    while (true) {
      const unsigned __int128 product = static_cast<unsigned __int128>(next_u64()) * bound;
      if (static_cast<std::uint64_t>(product) >= threshold) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }
  bool bernoulli(double probability) { return uniform() < probability; }
  int sign() { return (next_u32() & 1U) != 0 ? 1 : -1; }
  /// Standard normal (Box–Muller; the second value is dropped to keep draws independent of use).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform_positive()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  double exponential() { return -std::log(uniform_positive()); }
  /// Gamma(shape, 1), shape > 0. Marsaglia and Tsang (2000), A simple method for generating gamma
  /// variables; shapes below 1 by boosting.
  double gamma(double shape);
  /// A uniformly random order of 0, ..., n − 1.
  std::vector<std::uint32_t> permutation(std::uint32_t n);

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  int used_ = 4;
};

inline double Rng::gamma(double shape) {
  if (shape < 1.0) {
    const double boosted = gamma(shape + 1.0);
    return boosted * std::pow(uniform_positive(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
    if (v <= 0.0) continue;
    if (std::log(uniform_positive()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

inline std::vector<std::uint32_t> Rng::permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}  // namespace cone
