#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/experiment/evaluate.hpp"
#include "cone/nuisance/fit_plan.hpp"
#include "cone/nuisance/outcome_model.hpp"
#include "cone/nuisance/propensity_model.hpp"

namespace cone {

/// A propensity for every node, fitted or given, with what is known about it.
struct PropensityNuisance {
  std::string source;
  std::vector<double> probability;
  double bound = 0;  ///< 0 where not bounded
  double clipped_fraction = 0;
  std::vector<std::string> warnings;
};

/// The nuisances that a set of estimators needs, each fitted once for all policies.
struct NuisanceSet {
  std::vector<NodeIndex> scored;  ///< the nodes the utility is estimated on, ascending
  std::optional<PropensityNuisance> propensity;
  /// By the model's name ("ols1", "ols2", "ridge", "given").
  std::map<std::string, OutcomePredictions, std::less<>> outcome_models;
  bool given_outcome_model = false;

  const OutcomePredictions& outcome_model_of(const EstimatorInfo& estimator) const;
};

/// Fits, or takes from the data, what `estimators` need. Throws Error(kData) where columns that
/// were promised are missing.
NuisanceSet prepare_nuisances(const Context& context, const Dataset& data,
                              std::span<const EstimatorInfo* const> estimators,
                              MatrixView<const double> policies, const EvaluateOptions& options);

}  // namespace cone
