#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_fit.hpp"

namespace cone {

/// Learns outcomes by the network ridge, and can say what weights it implies.
///
/// Variances are learnt by restricted maximum likelihood, once per arm on all nodes that any fold
/// may learn from (the one exception to cross-fitting; --ridge-variances per_fold goes without).
/// The coefficients of a fold never see the nodes it scores.
///
/// Throws Error(kData) where the data has no log or an arm is missing among a task's fitting nodes.
class NetworkRidgeLearner : public Learner {
 public:
  /// What `source` knows must be of the data, plan, options and seed that fit() gets, and must
  /// outlive the learner.
  explicit NetworkRidgeLearner(NetworkRidgeOptions options, VarianceSource source = {})
      : options_(std::move(options)), source_(std::move(source)) {}

  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NetworkRidgeOptions options_;
  VarianceSource source_;
};

/// What was learnt of one arm, for units.
ArmVariances describe_variances(const std::string& label, std::span<const GroupKind> groups,
                                const ArmModel& model, const LearntVariances& learnt);

/// Adds what a part learnt and how its solution went.
void summarise_part(const Dataset& data, const RidgePart& part, const RidgeSolution& solution,
                    NetworkRidgeSummary& out);

/// Sentences about what did not converge.
void add_ridge_warnings(const NetworkRidgeSummary& summary, std::vector<std::string>& warnings);

}  // namespace cone
