#include "ops/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_scores.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/dispatch.hpp"
#include "ops/heads-inl.hpp"

#ifndef CONE_OPS_ATTENTION_SCORES_ONCE
#define CONE_OPS_ATTENTION_SCORES_ONCE
namespace cone::ops {

template <class T>
struct ScoreArguments {
  const AttentionShape& shape;
  MatrixView<const T> h;
  MatrixView<const T> a;
  MatrixView<T> scores;
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

template <class T>
HWY_INLINE void score_rows(const ScoreArguments<T>& arguments, std::size_t begin, std::size_t end) {
  const std::size_t heads = arguments.shape.heads;
  const std::size_t size = arguments.shape.size;
  with_tag_of_head<T>(size, [&](auto d) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < heads; ++k) {
        arguments.scores(i, k) = dot(d, &arguments.h(i, k * size), &arguments.a(k, 0), size);
      }
    }
  });
}
CONE_OPS_FOR_BOTH_PRECISIONS(score_rows, ScoreArguments)

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(score_rows_float);
HWY_EXPORT(score_rows_double);

template <class Real>
void attention_scores(const Context& context, const AttentionShape& shape, MatrixView<const Real> h,
                      MatrixView<const Real> a, MatrixView<Real> scores) {
  constexpr std::size_t kRowsPerPiece = 512;
  const ScoreArguments<Real> arguments{shape, h, a, scores};
  context.for_each_range(h.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, score_rows, arguments, begin, end)
  });
}

template void attention_scores(const Context&, const AttentionShape&, MatrixView<const float>,
                               MatrixView<const float>, MatrixView<float>);
template void attention_scores(const Context&, const AttentionShape&, MatrixView<const double>,
                               MatrixView<const double>, MatrixView<double>);

}  // namespace cone::ops
#endif
