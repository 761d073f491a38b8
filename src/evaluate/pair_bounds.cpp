#include "evaluate/pair_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cone {
namespace {

constexpr double kMostCells = 5e7;  // of all pairs, a few seconds

}  // namespace

PairBounds::PairBounds(const Comparable& compared, std::vector<const Matrix<double>*> tables,
                       std::vector<const Estimate*> estimates)
    : compared_(compared), tables_(std::move(tables)), estimates_(std::move(estimates)) {
  const auto policies = static_cast<double>(tables_.size());
  const double cells =
      compared.kernels.num_nodes() * static_cast<double>(compared.sample.num_arms());
  takes_contrasts_ = compared.strength != nullptr && compared.noise != nullptr &&
                     policies * (policies - 1) / 2 * cells < kMostCells;
}

std::optional<double> PairBounds::operator()(std::size_t first, std::size_t second) const {
  double sum = 0;
  double sampling = 0;  // residual-based standard errors, which sensitivity intervals use, beyond
                        // those of the sampling intervals
  for (const Estimate* e : {estimates_[first], estimates_[second]}) {
    if (e == nullptr) continue;
    if (!std::isfinite(e->sensitivity_interval.first)) return std::nullopt;
    sum += e->sensitivity_widening;
    sampling += e->sensitivity_widening - e->confounding_bias_bound;
  }
  const bool has_two = estimates_[first] != nullptr && estimates_[second] != nullptr;
  if (!has_two || !takes_contrasts_) return sum;
  return std::min(sum, bound_contrast(first, second) + sampling);
}

double PairBounds::bound_contrast(std::size_t first, std::size_t second) const {
  Matrix<double> contrast = *tables_[first];
  for (std::size_t k = 0; k < contrast.values().size(); ++k) {
    contrast.values()[k] -= tables_[second]->values()[k];
  }
  return bound_confounding_bias(compared_.sample, contrast.view(), compared_.noise->residual,
                                *compared_.strength)
      .bound;
}

}  // namespace cone
