#pragma once

#include "cone/learn.hpp"
#include "cone/settings.hpp"

namespace cone {

/// Learns outcomes by one network per arm on the features: fitted on the first selection split's
/// fitting nodes, stopped early on its held-out ones. Features are scaled as the encoders see them
/// (encoder_input). Of the options, what concerns any network counts: hidden, learning_rate,
/// weight_decay, clip_gradient, epochs, patience. Implausible predictions are bounded.
///
/// Throws Error(kData) where the data has no log or an arm is missing among a task's fitting nodes.
class NetworkLearner : public Learner {
 public:
  explicit NetworkLearner(const ConeOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  ConeOptions options_;
};

}  // namespace cone
