#pragma once

#include <span>

#include "cone/totals.hpp"

namespace cone {

// Over the values of all processes, as base/numeric.hpp has them over those of one.

double sum(std::span<const double> values, const Totals& totals);
/// NaN when there are no values.
double mean(std::span<const double> values, const Totals& totals);
/// Sum of squared deviations over (n − ddof).
double variance(std::span<const double> values, int ddof, const Totals& totals);
/// The standard error of the mean, sd (n − 1) / √n. NaN for fewer than two values.
double standard_error(std::span<const double> values, const Totals& totals);

}  // namespace cone
