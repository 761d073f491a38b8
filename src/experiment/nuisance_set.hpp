#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/experiment/evaluate.hpp"
#include "cone/nuisance/cone_fit.hpp"
#include "cone/nuisance/fit_plan.hpp"
#include "cone/nuisance/outcome_model.hpp"
#include "cone/nuisance/propensity_model.hpp"

#include "experiment/balanced_log.hpp"

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
  std::vector<FoldTraining> trainings;  ///< of cone's encoders, one a fold
  std::vector<std::string> warnings;    ///< about none of the above alone

  const PropensityNuisance& propensity_of(const EstimatorInfo& estimator) const;
  /// What tells whether the log could have done what a policy does: the estimator's own
  /// propensities or, where it needs none, the given ones, those fitted on what its model sees, or
  /// any others. nullptr where there are none.
  const PropensityNuisance* overlap_of(const EstimatorInfo& estimator) const;
  const OutcomePredictions& outcome_model_of(const EstimatorInfo& estimator) const;
};

/// Fits, or takes from the data, what `estimators` need, and propensities in any case: they tell
/// whether the log could have done what a policy does. Where only that is at stake and the data
/// does not allow a fit, a warning takes its place. Cone's part is taken from `fitted_cone` where
/// that is given. Throws Error(kData) where columns that were promised are missing.
NuisanceSet prepare_nuisances(const Context& context, const Dataset& data,
                              std::span<const EstimatorInfo* const> estimators,
                              MatrixView<const double> policies, const EvaluateOptions& options,
                              const ConeFit* fitted_cone);

}  // namespace cone
