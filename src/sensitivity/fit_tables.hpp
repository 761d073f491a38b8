#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/sensitivity.hpp"

#include "data/node_communities.hpp"
#include "nuisance/fit_cost.hpp"

namespace cone {

/// Out-of-fold nuisances of all nodes, nodes × arms; on ranks, on the root.
struct FittedTables {
  Matrix<double> mu;
  Matrix<double> e;
  std::vector<std::string> warnings;
  std::shared_ptr<const NetworkRidgeSummary> ridge;  ///< of the outcomes
  std::shared_ptr<const NodeCommunities> communities;
};

enum class PropensityModel {
  kFeatures,  ///< logistic regression on the features
  kNetwork,   ///< network ridge of the treatment (predict_treatment)
};

/// Outcomes by the network ridge, propensities by `model`. `like`: a fit to more of the same data,
/// whose variances are reused where the groups are the same (VarianceSource). Collective.
FittedTables fit_tables(const Context& context, const Dataset& data, const FitPlan& plan,
                        PropensityModel model, const SensitivityOptions& options,
                        const FittedTables* like = nullptr);

/// Propensities alone, clipped at the bound of the options; `e` is of all nodes. Collective.
PropensityTable fit_propensity(const Context& context, const Dataset& data, const FitPlan& plan,
                               PropensityModel model, const SensitivityOptions& options,
                               std::shared_ptr<const NodeCommunities> communities = nullptr);

/// Expected run times; `keeps`: variances are reused.
std::vector<ExpectedCost> expected_table_costs(const FitSize& size, PropensityModel model,
                                               const SensitivityOptions& options, bool keeps);
double propensity_seconds(const FitSize& size, PropensityModel model,
                          const SensitivityOptions& options);

}  // namespace cone
