#pragma once

#include <optional>
#include <span>

#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "balance/kernel_balancing.hpp"
#include "cone_networks/cone_fit.hpp"

namespace cone {

struct ConeLearnerOptions {
  PlanOptions plan;  ///< that the plan given to fit() was made of
  ConeOptions networks;
  AutoNumber propensity_bound;
  /// Also balances the nodes by their representations, by these options.
  std::optional<KernelBalancingOptions> kernel;
};

/// Learns outcomes and propensities by CONE's networks. Nodes are encoded once: by the fit at the
/// end of its training, or here where `fitted` comes from a file.
class ConeLearner : public Learner {
 public:
  /// `fitted`: networks to use instead of fitting anew. `kept`: set to those that are fitted, as
  /// soon as they are. Both must outlive the learner.
  explicit ConeLearner(const ConeLearnerOptions& options, const ConeFit* fitted = nullptr,
                       ConeFit* kept = nullptr)
      : options_(options), fitted_(fitted), kept_(kept) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  Nuisances predict(const Context& context, const Dataset& data, const FitPlan& plan,
                    std::span<const ConeFold> folds, const Matrix<float>& z) const;

  ConeLearnerOptions options_;
  const ConeFit* fitted_;
  ConeFit* kept_;
};

}  // namespace cone
