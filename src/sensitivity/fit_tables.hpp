#pragma once

#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// Out-of-fold nuisances of all nodes, nodes × arms.
struct FittedTables {
  Matrix<double> mu;
  Matrix<double> e;
  std::vector<std::string> warnings;
};

enum class PropensityModel {
  kFeatures,  ///< logistic regression on the features
  kNetwork,   ///< network ridge of every arm's indicator on features and network
};

/// Outcomes by the network ridge, propensities as asked for.
FittedTables fit_tables(const Context& context, const Dataset& data, const FitPlan& plan,
                        PropensityModel model, const SensitivityOptions& options);

/// Propensities alone. Those of the network come from linear models without undersmoothing: what
/// lies outside of [bound, 1 − bound] is moved there, and rows are made to sum to 1 before that.
PropensityTable fit_propensity(const Context& context, const Dataset& data, const FitPlan& plan,
                               PropensityModel model, const SensitivityOptions& options);

}  // namespace cone
