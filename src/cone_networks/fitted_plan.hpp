#pragma once

#include "cone_networks/cone_fit.hpp"
#include "data/dataset.hpp"
#include "nuisance/fit_plan.hpp"

namespace cone {

/// The plan of the fit. Throws Error(kData) unless the data is that of the fit.
FitPlan plan_of(const Context& context, const Dataset& data, const ConeFit& fit);

}  // namespace cone
