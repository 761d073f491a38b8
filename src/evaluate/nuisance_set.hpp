#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone_networks/cone_fit.hpp"
#include "evaluate/balanced_log.hpp"
#include "evaluate/evaluate.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/outcome_model.hpp"
#include "nuisance/propensity_model.hpp"

namespace cone {

/// A propensity for every node, fitted or given, with what is known about it.
struct PropensityNuisance {
  std::vector<double> probability;
  std::vector<double> unbounded;  ///< before the bound; empty where given
  double bound = 0;               ///< 0 where not bounded
  double clipped_fraction = 0;
  std::vector<std::string> warnings;
};

/// The nuisances that a set of estimators needs, each fitted once for all policies.
struct NuisanceSet {
  std::vector<NodeIndex> scored;  ///< the nodes the utility is estimated on, ascending
  /// By what they were fitted on ("features", "cone"), or only "given".
  std::map<std::string, PropensityNuisance, std::less<>> propensities;
  /// By the model's name ("ols1", "ols2", "ridge", "nn", "cone"), or only "given".
  std::map<std::string, OutcomePredictions, std::less<>> outcome_models;
  bool given_propensity = false;
  bool given_outcome_model = false;
  /// By what nodes are compared by: "features", "cone".
  std::map<std::string, BalancedLog, std::less<>> balances;
  std::vector<FoldTraining> trainings;  ///< of cone's encoders, one per fold
  std::vector<std::string> warnings;    ///< about none of the above alone

  /// Whether everything that the estimator needs is there.
  bool is_ready_for(const EstimatorInfo& estimator) const;
  const PropensityNuisance& propensity_of(const EstimatorInfo& estimator) const;
  /// What tells whether the log could have done what a policy does: the estimator's own
  /// propensities or, where it needs none, the given ones, those fitted on what its model sees, or
  /// any others. nullptr where there are none.
  const PropensityNuisance* overlap_of(const EstimatorInfo& estimator) const;
  const OutcomePredictions& outcome_model_of(const EstimatorInfo& estimator) const;
};

/// One thing to fit, for one or more estimators.
struct NuisanceStep {
  /// kOverlap: propensities that no estimator needs, only the diagnostics. Where the data does not
  /// allow a fit, a warning takes their place.
  enum class Kind { kPropensity, kOverlap, kOutcomeModel, kKernel, kCone };
  Kind kind;
  std::string name;  ///< "propensity", "ols1", "ridge", "nn", "okb", "cone"
  double expected_seconds = 0;
};

/// What has to be fitted for the estimators: propensities, which also show whether the log could
/// have done what a policy does, and then the others from cheap to dear. Throws Error(kData) where
/// columns that were promised are missing.
std::vector<NuisanceStep> plan_nuisances(const Context& context, const Dataset& data,
                                         std::span<const EstimatorInfo* const> estimators,
                                         const EvaluateOptions& options,
                                         const ConeFit* fitted_cone);

/// Fits one nuisance after the other, and takes from the data what it gives.
class NuisanceFitter {
 public:
  /// What is passed must outlive it. Cone's part is taken from `fitted_cone` where that is given.
  NuisanceFitter(const Context& context, const Dataset& data, MatrixView<const double> policies,
                 const EvaluateOptions& options, const ConeFit* fitted_cone,
                 std::span<const EstimatorInfo* const> estimators,
                 std::span<const NuisanceStep> steps);

  void fit(const NuisanceStep& step);
  /// What is there so far; the scored nodes are known from the start.
  const NuisanceSet& set() const { return set_; }

 private:
  void fit_cone_parts();

  const Context& context_;
  const Dataset& data_;
  MatrixView<const double> policies_;
  const EvaluateOptions& options_;
  const ConeFit* fitted_cone_;
  std::span<const EstimatorInfo* const> estimators_;
  FitPlan plan_;
  NuisanceSet set_;
};

}  // namespace cone
