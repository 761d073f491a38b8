#pragma once

#include <optional>
#include <span>

#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"
#include "cone_networks/cone_fit.hpp"

namespace cone {

struct ConeLearnerOptions {
  PlanOptions plan;  ///< of the plan passed to fit()
  ConeOptions networks;
  AutoNumber propensity_bound;
  /// Options of kernel balancing on the representations; none without it.
  std::optional<KernelBalancingOptions> kernel;
};

/// Outcome and propensity models by CONE's networks. Nodes are encoded once: by the fit at the end
/// of its training, or here where `fitted` was read from a file.
class ConeLearner : public Learner {
 public:
  /// `fitted`: networks to use instead of fitting. `kept`: receives the networks that are fitted.
  /// Both must outlive the learner.
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
