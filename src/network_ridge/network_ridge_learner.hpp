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
  /// `fitted`: variances to use instead of learning anew, of the data, plan, options and seed that
  /// fit() gets; must outlive the learner.
  explicit NetworkRidgeLearner(NetworkRidgeOptions options, const RidgeFit* fitted = nullptr)
      : options_(std::move(options)), fitted_(fitted) {}
  /// Learns variances on a sample of an arm's nodes where that has more (learn_network_ridge).
  NetworkRidgeLearner(NetworkRidgeOptions options, std::size_t most_nodes)
      : options_(std::move(options)), most_nodes_(most_nodes) {}

  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NetworkRidgeOptions options_;
  const RidgeFit* fitted_ = nullptr;
  std::size_t most_nodes_ = 0;
};

/// What was learnt of one arm, for people.
ArmVariances describe_variances(const std::string& label, std::span<const GroupKind> groups,
                                const ArmModel& model, const LearntVariances& learnt);

/// Adds what a part learnt and how its solution went.
void summarise_part(const Dataset& data, const RidgePart& part, const RidgeSolution& solution,
                    NetworkRidgeSummary& out);

/// Sentences about what did not converge.
void add_ridge_warnings(const NetworkRidgeSummary& summary, std::vector<std::string>& warnings);

}  // namespace cone
