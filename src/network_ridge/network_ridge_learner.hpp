#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_fit.hpp"

namespace cone {

/// Outcome model: the network ridge, a linear mixed model with the random effects of groups.hpp,
/// fitted per arm. Predictions are best linear unbiased predictions (Henderson 1975, "Best linear
/// unbiased estimation and prediction under a selection model"; Robinson 1991, "That BLUP is a good
/// thing: the estimation of random effects") up to undersmoothing. Linear in the outcomes, so the
/// weights that it implies are exact.
///
/// Variance components are learnt by restricted maximum likelihood, once per arm on all nodes that
/// any fold may learn from (the one exception to cross-fitting; with --ridge-variances per_fold
/// there is none). The coefficients of a fold never see the nodes it scores.
///
/// Throws Error(kData) where the data has no treatments and outcomes or an arm is missing among a
/// task's fitting nodes.
class NetworkRidgeLearner : public Learner {
 public:
  /// `source.known` must be of the data, plan, options and seed passed to fit(), and must outlive
  /// the learner.
  explicit NetworkRidgeLearner(NetworkRidgeOptions options, VarianceSource source = {})
      : options_(std::move(options)), source_(std::move(source)) {}

  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NetworkRidgeOptions options_;
  VarianceSource source_;
};

/// The variance components of one arm, for the record.
ArmVariances describe_variances(const std::string& label, std::span<const GroupKind> groups,
                                const ArmModel& model);

/// Adds the variance components of a part and the convergence of its solution.
void summarise_part(const Dataset& data, const RidgePart& part, const RidgeSolution& solution,
                    NetworkRidgeSummary& out);

/// Adds warnings about variances and solves that did not converge.
void add_ridge_warnings(const NetworkRidgeSummary& summary, std::vector<std::string>& warnings);

/// Adds a warning where the size of distributed data forbids community effects.
void warn_of_missing_communities(const Dataset& data, const NetworkRidgeOptions& options,
                                 std::vector<std::string>& warnings);

}  // namespace cone
