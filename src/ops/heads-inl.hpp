// Included once for every target of Highway.
#if defined(CONE_OPS_HEADS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_HEADS_INL
#undef CONE_OPS_HEADS_INL
#else
#define CONE_OPS_HEADS_INL
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "ops/padded_scores.hpp"
#include "ops/weighted_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The scores of the heads of one node, or a part of them: half a cache line.
template <class T>
using ScoreTag = hn::CappedTag<T, kScoreGroup<T>>;

/// Calls body(tag) with the widest vectors that never span two heads: full vectors where the size
/// of a head allows, single lanes (correct, slow) for odd sizes.
template <class T, class Body>
HWY_INLINE void with_tag_of_head(std::size_t size, const Body& body) {
  constexpr std::size_t kWidest = 64 / sizeof(T);
  // The branches differ in the type they pass on. NOLINTBEGIN(bugprone-branch-clone)
  if (size % kWidest == 0) {
    body(hn::CappedTag<T, kWidest>());
  } else if (size % (kWidest / 2) == 0) {
    body(hn::CappedTag<T, kWidest / 2>());
  } else if (size % (kWidest / 4) == 0) {
    body(hn::CappedTag<T, kWidest / 4>());
  } else {
    body(hn::CappedTag<T, 1>());
  }
  // NOLINTEND(bugprone-branch-clone)
}

/// The same with the weight of each vector of a row: body(tag, weight_of). The common numbers of
/// vectors per head are specialised in single precision, in which models are trained; further
/// specialisations would cost compile time without gain.
template <class T, class Body>
HWY_INLINE void with_vectors_of_head(std::size_t size, const Body& body) {
  with_tag_of_head<T>(size, [&](auto d) HWY_ATTR {
    const std::size_t vectors = size / hn::Lanes(d);
    if constexpr (sizeof(T) == sizeof(float) && hn::MaxLanes(decltype(d)()) > 1) {
      if (vectors == 1) return body(d, WeightEvery<1>());
      if (vectors == 2) return body(d, WeightEvery<2>());
    }
    body(d, WeightEveryOf{vectors});
  });
}

/// ⟨a, b⟩ of one head, whose size is a multiple of the lanes of D.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE T dot(D d, const T* a, const T* b, std::size_t size) {
  auto sum = hn::Zero(d);
  for (std::size_t c = 0; c < size; c += hn::Lanes(d)) {
    sum = hn::MulAdd(hn::LoadU(d, a + c), hn::LoadU(d, b + c), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
