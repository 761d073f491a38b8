#include "evaluate/pair_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cone {
namespace {

constexpr double kMostCells = 5e7;  // of all pairs, a few seconds

}  // namespace

PairBounds::PairBounds(const LoggedSample& sample, std::span<const double> residual,
                       const NetworkStrength* strength, std::vector<const Matrix<double>*> tables,
                       std::vector<const Estimate*> estimates)
    : sample_(sample),
      residual_(residual),
      strength_(strength),
      tables_(std::move(tables)),
      estimates_(std::move(estimates)) {
  const auto policies = static_cast<double>(tables_.size());
  const double cells = sample.comm->count(sample.size()) * static_cast<double>(sample.num_arms());
  takes_contrasts_ = strength != nullptr && sample.comm->any(!residual.empty()) &&
                     policies * (policies - 1) / 2 * cells < kMostCells;
}

std::optional<BiasBound> PairBounds::operator()(std::size_t first, std::size_t second) const {
  BiasBound sum;
  double sampling = 0;  // residual-based standard errors, which sensitivity intervals use, beyond
                        // those of the sampling intervals
  for (const std::size_t k : {first, second}) {
    const Estimate* e = estimates_[k];
    if (e == nullptr) continue;
    if (!e->sensitivity_widening) return std::nullopt;
    sum = k == first ? sum + *e->sensitivity_widening : sum - *e->sensitivity_widening;
    sampling += e->sensitivity_widening->too_high - e->confounding_bias_bound->too_high;
  }
  const bool has_two = estimates_[first] != nullptr && estimates_[second] != nullptr;
  if (!has_two || !takes_contrasts_) return sum;
  const BiasBound contrast = bound_contrast(first, second) + BiasBound{sampling, sampling};
  return BiasBound{std::min(sum.too_high, contrast.too_high),
                   std::min(sum.too_low, contrast.too_low)};
}

BiasBound PairBounds::bound_contrast(std::size_t first, std::size_t second) const {
  Matrix<double> contrast = *tables_[first];
  for (std::size_t k = 0; k < contrast.values().size(); ++k) {
    contrast.values()[k] -= tables_[second]->values()[k];
  }
  return bound_confounding_bias(sample_, contrast.view(), residual_, *strength_).bound;
}

}  // namespace cone
