#pragma once

#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// One entry per arm. `e`: sample × arms, predicted out of fold. With correct propensities χ² has
/// as many degrees of freedom as bins: the test of Hosmer and Lemeshow (1980, Goodness of fit tests
/// for the multiple logistic regression model) out of sample. O(arms · nodes · log nodes).
std::vector<ArmCalibration> measure_calibration(const LoggedSample& sample,
                                                MatrixView<const double> e);

}  // namespace cone
