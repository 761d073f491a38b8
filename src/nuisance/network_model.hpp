#pragma once

#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nuisance/cone_options.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/outcome_model.hpp"

namespace cone {

/// One network per arm on the features: fitted on the first selection split's fitting nodes,
/// stopped early on its held-out ones. Features are scaled as the encoders see them
/// (encoder_input). Of the options, what concerns any network counts: hidden, learning_rate,
/// weight_decay, clip_gradient, epochs, patience. Without implied weights, as networks are not
/// linear. Implausible predictions are bounded (ImplausiblePrediction).
///
/// Throws Error(kData) where the data has no log or an arm is missing among a task's fitting nodes.
OutcomePredictions predict_by_networks(const Context& context, const Dataset& data,
                                       const FitPlan& plan, const ConeOptions& options);

}  // namespace cone
