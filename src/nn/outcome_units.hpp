#pragma once

#include <span>

namespace cone {

/// The mean and the standard deviation by which outcomes are standardised: networks learn at the
/// same rate whatever the unit of the outcome.
struct OutcomeUnits {
  double mean = 0;
  double scale = 1;
};

/// Units in which the outcomes have mean 0 and standard deviation 1; constant outcomes keep
/// their scale.
OutcomeUnits outcome_units(std::span<const double> outcomes);

}  // namespace cone
