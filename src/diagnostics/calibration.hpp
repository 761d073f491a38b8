#pragma once

#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// One entry per arm. `e`: sample × arms, predicted out of fold. With correct propensities χ² has
/// as many degrees of freedom as bins: the test of Hosmer and Lemeshow (1980, Goodness of fit tests
/// for the multiple logistic regression model) out of sample. O(arms · nodes · log nodes).
std::vector<ArmCalibration> measure_calibration(const LoggedSample& sample,
                                                MatrixView<const double> e);

/// How well propensities predict the logged arms, over all ranks; a warning where they do worse
/// than a constant. `name`: what they were fitted on.
PropensityDiagnostics diagnose_propensity(const std::string& name, const LoggedSample& sample,
                                          const PropensityTable& table,
                                          std::vector<std::string>& warnings);

}  // namespace cone
