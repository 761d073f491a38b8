#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// Fits a learner that needs all nodes in one process to distributed data: the root gathers
/// features, network, outcomes and plan, fits alone, and gives every rank its rows; implied weights
/// likewise. The root keeps the complete data as long as the result lives: 8 bytes per dense
/// feature, 12 per other entry and 8 per edge, and what the learner takes in one process.
/// Collective.
Nuisances fit_on_root(const Context& context, const Dataset& data, const FitPlan& plan,
                      const Learner& learner);

}  // namespace cone
