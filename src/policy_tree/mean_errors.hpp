#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/options.hpp"

namespace cone {

struct MeanError {
  double standard_error = 0;
  double half_width = 0;  ///< of the interval of that level
};

/// Standard errors of the means of columns with one value per node, under the `wanted` dependence
/// if it is usable, else under the one with the largest error. With kLargest never below the error
/// for independent nodes. `degrees`: of freedom of every column's variance, for t quantiles.
std::vector<MeanError> measure_mean_errors(const Context& context, const Dataset& data,
                                           std::span<const std::vector<double>> columns,
                                           std::span<const double> degrees, Dependence wanted,
                                           double level);

}  // namespace cone
