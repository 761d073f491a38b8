#pragma once

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"

#include "distributed/share.hpp"
#include "inference/confounding_strength.hpp"

namespace cone::distributed {

/// What the network shows of who was treated: measure_network_treatment of one machine, by the
/// network ridge of all ranks. `sample` has the positions of the share, whose features are scaled
/// and whose folds are dealt. Its big tables are lent to the question meanwhile. Called by all
/// ranks.
NetworkStrength measure_treatment_together(const Context& context, const Ranks& ranks,
                                           const EvaluateOptions& options,
                                           const LoggedSample& sample,
                                           const PropensityBounds& bounds, Share& share);

}  // namespace cone::distributed
