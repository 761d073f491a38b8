#pragma once

#include <vector>

#include "cone/learn.hpp"
#include "cone/record.hpp"

namespace cone {

/// One entry per arm. `e`: sample × arms, of models that did not see the node. Under right
/// propensities χ² has as many degrees of freedom as there are bins (Hosmer and Lemeshow, out of
/// sample: nothing was fitted to these nodes). O(arms · nodes · log nodes).
std::vector<ArmCalibration> measure_calibration(const LoggedSample& sample,
                                                MatrixView<const double> e);

}  // namespace cone
