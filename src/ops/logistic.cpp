#include "ops/logistic.hpp"

#include <cmath>

#include "cone/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/logistic.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

/// The accumulators, in lanes.
template <class V>
struct LogisticSums {
  V product;  ///< of 1 + exp(−|z|)
  V margin;   ///< Σ max(z, 0) − label·z
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE void take_logistic_lanes(D d, const double* logit, const double* label,
                                    double* probability, LogisticSums<V>& sums) {
  const V one = hn::Set(d, 1.0);
  const V z = hn::LoadU(d, logit);
  const V odds = exp(d, hn::Neg(hn::Abs(z)));  // of the less likely label
  const V total = hn::Add(one, odds);
  const V positive = hn::Max(z, hn::Zero(d));
  sums.margin = hn::Add(sums.margin, hn::NegMulAdd(hn::LoadU(d, label), z, positive));
  sums.product = hn::Mul(sums.product, total);
  const V numerator = hn::IfThenElse(hn::Gt(z, hn::Zero(d)), one, odds);
  hn::StoreU(hn::Div(numerator, total), d, probability);
}

double logistic_loss_rows(const double* logits, const double* labels, double* probability,
                          std::size_t size) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> single;
  LogisticSums<hn::Vec<decltype(d)>> lanes{hn::Set(d, 1.0), hn::Zero(d)};
  LogisticSums<hn::Vec<decltype(single)>> tail{hn::Set(single, 1.0), hn::Zero(single)};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d)) {
    take_logistic_lanes(d, logits + i, labels + i, probability + i, lanes);
  }
  for (; i < size; ++i) {
    take_logistic_lanes(single, logits + i, labels + i, probability + i, tail);
  }
  HWY_ALIGN double products[hn::MaxLanes(d)];
  hn::Store(lanes.product, d, products);
  double loss = std::log(hn::GetLane(tail.product)) + hn::GetLane(tail.margin) +
                hn::GetLane(hn::SumOfLanes(d, lanes.margin));
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) loss += std::log(products[k]);
  return loss;
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(logistic_loss_rows);

double logistic_loss(std::span<const double> logits, std::span<const double> labels,
                     std::span<double> probability) {
  require(logits.size() <= kMostLogisticRows && labels.size() == logits.size() &&
              probability.size() == logits.size(),
          "logistic loss: sizes differ, or too many rows at once");
  return HWY_DYNAMIC_DISPATCH(logistic_loss_rows)(logits.data(), labels.data(), probability.data(),
                                                  logits.size());
}

}  // namespace cone::ops
#endif
