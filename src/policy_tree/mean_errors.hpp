#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/settings.hpp"

namespace cone {

struct MeanError {
  double standard_error = 0;
  double half_width = 0;  ///< of the interval of that level
};

/// Of the means of columns with one value per node of the data. By the dependence that is wanted,
/// where it is usable; else by the largest of those that are. Never less than for independent nodes
/// where nothing is wanted.
std::vector<MeanError> measure_mean_errors(const Context& context, const Dataset& data,
                                           std::span<const std::vector<double>> columns,
                                           Dependence wanted, double level);

}  // namespace cone
