#include <algorithm>
#include <cmath>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "base/numeric.hpp"

// Intervals that hold under several assumptions.

namespace cone {
namespace {

/// A sampling interval and the same under every alternative, wider by its deviations.
std::pair<double, double> enclose_all(const Estimate& e, std::pair<double, double> sampling,
                                      double standard_error) {
  const double centre = (sampling.first + sampling.second) / 2;
  const double half_width = (sampling.second - sampling.first) / 2;
  std::pair<double, double> out = sampling;
  for (const AlternativeValue& other : e.alternatives()) {
    const double wider = standard_error > 0
                             ? half_width * other.error_with(standard_error) / standard_error
                             : half_width;
    out = hull(out, {centre + other.shift - wider, centre + other.shift + wider});
  }
  return out;
}

}  // namespace

double AlternativeValue::error_with(double standard_error) const {
  double total = standard_error * standard_error;
  for (const double deviation : deviations) total += deviation * deviation;
  return std::sqrt(total);
}

bool AlternativeValue::is_same() const {
  return shift == 0 && std::ranges::all_of(deviations, [](double d) { return d == 0; });
}

Alternatives combine(std::span<const double> weights, std::span<const Alternatives> values) {
  Alternatives out;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k].empty() || weights[k] == 0) continue;
    out.resize(std::max(out.size(), values[k].size()));
    for (std::size_t a = 0; a < values[k].size(); ++a) {
      const AlternativeValue& part = values[k][a];
      out[a].shift += weights[k] * part.shift;
      out[a].deviations.resize(std::max(out[a].deviations.size(), part.deviations.size()), 0.0);
      for (std::size_t d = 0; d < part.deviations.size(); ++d) {
        out[a].deviations[d] += weights[k] * part.deviations[d];
      }
    }
  }
  return out;
}

std::pair<double, double> enclose(double value, double standard_error, double factor,
                                  std::span<const AlternativeValue> alternatives) {
  std::pair<double, double> out{value - factor * standard_error, value + factor * standard_error};
  for (const AlternativeValue& other : alternatives) {
    const double half_width = factor * other.error_with(standard_error);
    out.first = std::min(out.first, value + other.shift - half_width);
    out.second = std::max(out.second, value + other.shift + half_width);
  }
  return out;
}

BiasBound operator+(const BiasBound& a, const BiasBound& b) {
  return {a.too_high + b.too_high, a.too_low + b.too_low};
}

BiasBound operator-(const BiasBound& a, const BiasBound& b) {
  return {a.too_high + b.too_low, a.too_low + b.too_high};
}

std::pair<double, double> hull(std::pair<double, double> a, std::pair<double, double> b) {
  return {std::min(a.first, b.first), std::max(a.second, b.second)};
}

std::pair<double, double> enclose_confounded(double value, double standard_error, double factor,
                                             std::span<const AlternativeValue> alternatives,
                                             const BiasBound& bias) {
  const auto own = enclose(value, standard_error, factor,
                           alternatives.first(std::min<std::size_t>(1, alternatives.size())));
  return hull(enclose(value, standard_error, factor, alternatives),
              {own.first - bias.too_high, own.second + bias.too_low});
}

double least_statistic(double value, double standard_error,
                       std::span<const AlternativeValue> alternatives) {
  double least = std::abs(value) / standard_error;
  for (const AlternativeValue& other : alternatives) {
    const double shifted = value + other.shift;
    if (shifted * value <= 0) return 0;
    least = std::min(least, std::abs(shifted) / other.error_with(standard_error));
  }
  return least;
}

Alternatives Estimate::alternatives() const {
  Alternatives out = {{.shift = -bias()}};
  out.insert(out.end(), joint.begin(), joint.end());
  return out;
}

std::pair<double, double> Estimate::interval() const {
  return enclose_all(*this, sampling_interval, standard_error);
}

std::pair<double, double> Estimate::population_interval() const {
  return enclose_all(*this, population_sampling_interval, population_standard_error);
}

std::pair<double, double> Estimate::sample_interval() const {
  return enclose_all(*this, sample_sampling_interval, sample_standard_error);
}

}  // namespace cone
