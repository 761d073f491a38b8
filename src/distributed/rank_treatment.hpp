#pragma once

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"

#include "distributed/local_data.hpp"
#include "inference/confounding_strength.hpp"

namespace cone::distributed {

/// How much the network predicts treatment beyond the features: measure_network_treatment with the
/// network ridge of all ranks. `sample` has the positions of `local`, whose features are scaled and
/// whose folds are assigned; its large tables are borrowed meanwhile. Collective.
NetworkStrength measure_treatment_on_ranks(const Context& context, const Communicator& comm,
                                           const EvaluateOptions& options,
                                           const LoggedSample& sample,
                                           const PropensityBounds& bounds, LocalData& local);

}  // namespace cone::distributed
