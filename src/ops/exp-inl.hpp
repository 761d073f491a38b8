// Included once for every target of Highway.
#if defined(CONE_OPS_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_EXP_INL
#undef CONE_OPS_EXP_INL
#else
#define CONE_OPS_EXP_INL
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr float kSmallest = -87.0F;
  static constexpr float kRound = 12582912.0F;  // 1.5 · 2²³: adding it leaves an integer
  static constexpr float kLog2High = 0.693359375F;
  static constexpr float kLog2Low = -2.12194440e-4F;
  static constexpr int kMantissaBits = 23;
  static constexpr int kDegree = 7;
};

template <>
struct ExpConstants<double> {
  static constexpr double kSmallest = -708.0;
  static constexpr double kRound = 6755399441055744.0;  // 1.5 · 2⁵²
  static constexpr double kLog2High = 0.693145751953125;
  static constexpr double kLog2Low = 1.42860682030941723212e-6;
  static constexpr int kMantissaBits = 52;
  static constexpr int kDegree = 13;
};

/// exp(x) = scale · (1 + rest), scale a power of two and |rest| ≤ 0.42. For x ≤ 88 (float) or 709
/// (double); below kSmallest the result stays at exp(kSmallest). Relative error 1e-7 (3e-16).
template <class V>
struct ExpParts {
  V scale;
  V rest;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  using T = hn::TFromD<D>;
  using K = ExpConstants<T>;
  const hn::RebindToUnsigned<D> du;
  using Bits = hn::TFromD<decltype(du)>;
  x = hn::Max(x, hn::Set(d, K::kSmallest));
  // The sum's last bits are the integer n next to x / ln 2, in two's complement: no conversion.
  const V rounded =
      hn::MulAdd(x, hn::Set(d, static_cast<T>(1.44269504088896341)), hn::Set(d, K::kRound));
  const V n = hn::Sub(rounded, hn::Set(d, K::kRound));
  const auto exponent = hn::ShiftLeft<K::kMantissaBits>(hn::BitCast(du, rounded));
  const auto one =
      hn::Set(du, static_cast<Bits>(sizeof(T) == 4 ? 0x3F800000U : 0x3FF0000000000000U));
  // Cody and Waite: ln 2 in two parts, the first of so few bits that n times it is exact.
  V t = hn::NegMulAdd(n, hn::Set(d, K::kLog2High), x);
  t = hn::NegMulAdd(n, hn::Set(d, K::kLog2Low), t);
  // Taylor: |t| ≤ ln 2 / 2 leaves 5e-9 (4e-18).
  double factorial = 1;
  for (int k = 2; k <= K::kDegree; ++k) factorial *= k;
  V p = hn::Set(d, static_cast<T>(1 / factorial));
  for (int k = K::kDegree; k > 2; --k) {
    factorial /= k;
    p = hn::MulAdd(p, t, hn::Set(d, static_cast<T>(1 / factorial)));
  }
  return {hn::BitCast(d, hn::Add(exponent, one)), hn::MulAdd(hn::Mul(p, t), t, t)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const auto [scale, rest] = exp_parts(d, x);
  return hn::MulAdd(scale, rest, scale);
}

/// exp(x) − 1, exact to rounding near 0 as well.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  const auto [scale, rest] = exp_parts(d, x);
  return hn::MulAdd(scale, rest, hn::Sub(scale, hn::Set(d, 1)));
}

/// floor(log2 x) · ln 2: at most ln 2 below ln x. x must be positive and normal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V rough_log(D d, V x) {
  using T = hn::TFromD<D>;
  using K = ExpConstants<T>;
  const hn::RebindToUnsigned<D> du;
  using Bits = hn::TFromD<decltype(du)>;
  // An integer below 2^mantissa bits, put in the mantissa of that power of two, is added to it.
  constexpr T kPower = sizeof(T) == 4 ? T{8388608} : static_cast<T>(4503599627370496.0);
  constexpr auto kPowerBits = static_cast<Bits>(sizeof(T) == 4 ? 0x4B000000U : 0x4330000000000000U);
  constexpr T kBias = sizeof(T) == 4 ? 127 : 1023;
  const auto exponent = hn::ShiftRight<K::kMantissaBits>(hn::BitCast(du, x));
  const V biased =
      hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::Set(du, kPowerBits))), hn::Set(d, kPower));
  return hn::Mul(hn::Sub(biased, hn::Set(d, kBias)),
                 hn::Set(d, static_cast<T>(0.693147180559945309)));
}

/// max(x, slope · x), which is LeakyReLU for slopes up to 1.
template <class V>
HWY_INLINE V leaky_relu(V x, V slope) {
  return hn::Max(x, hn::Mul(x, slope));
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
