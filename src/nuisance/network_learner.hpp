#pragma once

#include "cone/learn.hpp"
#include "cone/options.hpp"

namespace cone {

/// Outcome models by one neural network per arm on the features: fitted on the first selection
/// split's fitting nodes, stopped early on its held-out ones. Features are scaled as for the
/// encoders (encoder_input). Only the options of any network have an effect: hidden, learning_rate,
/// weight_decay, clip_gradient, epochs, patience. Implausible predictions are bounded.
///
/// Throws Error(kData) where the data has no treatments and outcomes or an arm is missing among a
/// task's fitting nodes.
class NetworkLearner : public Learner {
 public:
  explicit NetworkLearner(const ConeOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  ConeOptions options_;
};

}  // namespace cone
