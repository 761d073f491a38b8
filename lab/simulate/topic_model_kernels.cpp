#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simulate/topic_model_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "simulate/topic_model_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::topic_model::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, TopicTable::kLanes>;
using Vector = hn::Vec<Tag>;

// weight_i = count_i / (sum of the lanes of v_i).
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void divide_by_sums(const float* count, Vector v0, Vector v1, Vector v2, Vector v3,
                               float* weight) {
  weight[0] = count[0] / hn::GetLane(v0);
  weight[1] = count[1] / hn::GetLane(v1);
  weight[2] = count[2] / hn::GetLane(v2);
  weight[3] = count[3] / hn::GetLane(v3);
}
#else
using Four = hn::FixedTag<float, 4>;

// Adds halves until four lanes are left.
template <class D>
HWY_INLINE hn::Vec<Four> fold_to_four(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return fold_to_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// One transposition and one division instead of four of each.
HWY_INLINE void divide_by_sums(const float* count, Vector v0, Vector v1, Vector v2, Vector v3,
                               float* weight) {
  const Four four;
  const auto a = fold_to_four(Tag(), v0), b = fold_to_four(Tag(), v1);
  const auto c = fold_to_four(Tag(), v2), d = fold_to_four(Tag(), v3);
  const auto ac = hn::Add(hn::InterleaveLower(four, a, c), hn::InterleaveUpper(four, a, c));
  const auto bd = hn::Add(hn::InterleaveLower(four, b, d), hn::InterleaveUpper(four, b, d));
  const auto sums = hn::Add(hn::InterleaveLower(four, ac, bd), hn::InterleaveUpper(four, ac, bd));
  hn::Store(hn::Div(hn::LoadU(four, count), sums), four, weight);
}
#endif

// Adds count / ⟨factors, row⟩ · row of four rows at once: each vector of the factors and of the sum
// is then loaded once for four rows, and the four reductions and divisions are one.
HWY_INLINE void add_four_rows(const float* const* row, const float* count, const float* factors,
                              std::size_t stride, float* sum) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector dot0 = hn::Zero(d), dot1 = dot0, dot2 = dot0, dot3 = dot0;
  for (std::size_t k = 0; k < stride; k += lanes) {
    const Vector f = hn::Load(d, factors + k);
    dot0 = hn::MulAdd(f, hn::Load(d, row[0] + k), dot0);
    dot1 = hn::MulAdd(f, hn::Load(d, row[1] + k), dot1);
    dot2 = hn::MulAdd(f, hn::Load(d, row[2] + k), dot2);
    dot3 = hn::MulAdd(f, hn::Load(d, row[3] + k), dot3);
  }
  HWY_ALIGN float weight[4];
  divide_by_sums(count, dot0, dot1, dot2, dot3, weight);
  const Vector weight0 = hn::Set(d, weight[0]), weight1 = hn::Set(d, weight[1]);
  const Vector weight2 = hn::Set(d, weight[2]), weight3 = hn::Set(d, weight[3]);
  for (std::size_t k = 0; k < stride; k += lanes) {
    Vector s = hn::Load(d, sum + k);
    s = hn::MulAdd(weight0, hn::Load(d, row[0] + k), s);
    s = hn::MulAdd(weight1, hn::Load(d, row[1] + k), s);
    s = hn::MulAdd(weight2, hn::Load(d, row[2] + k), s);
    s = hn::MulAdd(weight3, hn::Load(d, row[3] + k), s);
    hn::Store(s, d, sum + k);
  }
}

void responsibilities(const TopicTable& table, const CountedRows& entries,
                      std::span<const float> factors, std::span<float> responsibility) {
  const std::size_t stride = table.stride();
  const float* const base = table.data();
  const std::uint32_t* const rows = entries.rows.data();
  float* const sum = responsibility.data();
  for (std::size_t k = 0; k < stride; k += hn::Lanes(Tag())) {
    hn::Store(hn::Zero(Tag()), Tag(), sum + k);
  }
  const std::size_t size = entries.rows.size();
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    const float* const row[4] = {base + stride * rows[i], base + stride * rows[i + 1],
                                 base + stride * rows[i + 2], base + stride * rows[i + 3]};
    add_four_rows(row, entries.counts.data() + i, factors.data(), stride, sum);
  }
  if (i < size) {
    const float* row[4];
    float count[4] = {0, 0, 0, 0};
    for (std::size_t j = 0; j < 4; ++j) {
      const bool inside = i + j < size;
      row[j] = base + stride * rows[inside ? i + j : i];
      if (inside) count[j] = entries.counts[i + j];
    }
    add_four_rows(row, count, factors.data(), stride, sum);
  }
}

// exp(−(a + b)), 0 ≤ a ≤ 84, 0 ≤ b ≤ 2. The two are kept apart until the bulk of a has been
// removed, so that an a of 50 does not cost the six bits that rounding a + b would.
HWY_INLINE Vector exp_of_minus(Tag d, Vector a, Vector b) {
  const hn::RebindToSigned<Tag> di;
  const Vector n = hn::Round(hn::Mul(hn::Add(a, b), hn::Set(d, -1.44269504F)));
  // Cody and Waite: ln 2 in two parts, the first of so few bits that n times it is exact.
  Vector t = hn::NegMulAdd(n, hn::Set(d, 0.693359375F), hn::Neg(a));
  t = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4F), hn::Sub(t, b));
  // Taylor to the 7th degree: |t| ≤ ln 2 / 2 leaves 5e-9.
  Vector p = hn::Set(d, 1.0F / 5040);
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F / 720));
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F / 120));
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F / 24));
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F / 6));
  p = hn::MulAdd(p, t, hn::Set(d, 0.5F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)));
  return hn::Mul(p, hn::BitCast(d, exponent));
}

// ψ(x) = ψ(x + 4) − Σ_{i<4} 1/(x + i), and exp ψ(y + 1/2) has the asymptotic series
// y + 1/(24 y) − 37/(5760 y³) + 10313/(2903040 y⁵) − 5509121/(1393459200 y⁷) + …, so no logarithm
// is needed.
HWY_INLINE Vector exp_digamma(Tag d, Vector x) {
  const Vector one = hn::Set(d, 1.0F);
  x = hn::Max(x, hn::Set(d, 1.0F / 84));  // else the result underflows
  const Vector y = hn::Add(x, hn::Set(d, 3.5F));
  const Vector r = hn::Div(one, y);
  const Vector r2 = hn::Mul(r, r);
  Vector series = hn::Set(d, -5509121.0F / 1393459200.0F);
  series = hn::MulAdd(series, r2, hn::Set(d, 10313.0F / 2903040.0F));
  series = hn::MulAdd(series, r2, hn::Set(d, -37.0F / 5760.0F));
  series = hn::MulAdd(series, r2, hn::Set(d, 1.0F / 24.0F));
  series = hn::MulAdd(series, r, y);

  // 1/x with the residual that its rounding leaves.
  const Vector reciprocal = hn::Div(one, x);
  const Vector residual = hn::Mul(hn::NegMulAdd(reciprocal, x, one), reciprocal);
  // 1/(x+1) + 1/(x+2) + 1/(x+3) as one fraction; past 1e9 it is 0 in single precision, and the cube
  // must not overflow.
  const Vector z = hn::Add(hn::Min(x, hn::Set(d, 1e9F)), hn::Set(d, 2.0F));
  const Vector z2 = hn::Mul(z, z);
  const Vector rest = hn::Div(hn::MulSub(hn::Set(d, 3.0F), z2, one), hn::Mul(z, hn::Sub(z2, one)));
  return hn::Mul(series, exp_of_minus(d, reciprocal, hn::Add(rest, residual)));
}

void exp_digamma_all(std::span<const float> x, std::span<float> out) {
  const Tag d;
  for (std::size_t k = 0; k < x.size(); k += hn::Lanes(d)) {
    hn::Store(exp_digamma(d, hn::Load(d, x.data() + k)), d, out.data() + k);
  }
}

float update_parameters(float prior, std::span<const float> factors,
                        std::span<const float> responsibility, std::span<float> parameters) {
  const Tag d;
  Vector change = hn::Zero(d);
  for (std::size_t k = 0; k < parameters.size(); k += hn::Lanes(d)) {
    const Vector updated = hn::MulAdd(hn::Load(d, factors.data() + k),
                                      hn::Load(d, responsibility.data() + k), hn::Set(d, prior));
    change = hn::Add(change, hn::AbsDiff(updated, hn::Load(d, parameters.data() + k)));
    hn::Store(updated, d, parameters.data() + k);
  }
  return hn::GetLane(hn::SumOfLanes(d, change));
}

void refresh_factors(std::span<const float> parameters, std::span<const float> scale,
                     std::span<float> factors) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector largest = hn::Zero(d);
  for (std::size_t k = 0; k < parameters.size(); k += lanes) {
    const Vector f =
        hn::Mul(hn::Load(d, scale.data() + k), exp_digamma(d, hn::Load(d, parameters.data() + k)));
    largest = hn::Max(largest, f);
    hn::Store(f, d, factors.data() + k);
  }
  const Vector inverse = hn::Div(hn::Set(d, 1.0F), hn::MaxOfLanes(d, largest));
  for (std::size_t k = 0; k < parameters.size(); k += lanes) {
    const Vector f = hn::Mul(hn::Load(d, factors.data() + k), inverse);
    const auto is_topic = hn::Gt(hn::Load(d, scale.data() + k), hn::Zero(d));
    hn::Store(hn::IfThenElseZero(is_topic, hn::Max(f, hn::Set(d, kSmallestFactor))), d,
              factors.data() + k);
  }
}

}  // namespace cone::topic_model::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::topic_model {

HWY_EXPORT(responsibilities);
HWY_EXPORT(update_parameters);
HWY_EXPORT(refresh_factors);
HWY_EXPORT(exp_digamma_all);

void responsibilities(const TopicTable& table, const CountedRows& entries,
                      std::span<const float> factors, std::span<float> responsibility) {
  HWY_DYNAMIC_DISPATCH(responsibilities)(table, entries, factors, responsibility);
}

float update_parameters(float prior, std::span<const float> factors,
                        std::span<const float> responsibility, std::span<float> parameters) {
  return HWY_DYNAMIC_DISPATCH(update_parameters)(prior, factors, responsibility, parameters);
}

void refresh_factors(std::span<const float> parameters, std::span<const float> scale,
                     std::span<float> factors) {
  HWY_DYNAMIC_DISPATCH(refresh_factors)(parameters, scale, factors);
}

void exp_digamma(std::span<const float> x, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(exp_digamma_all)(x, out);
}

}  // namespace cone::topic_model
#endif
