#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/forecast.hpp"
#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "inference/confounding_strength.hpp"
#include "nuisance/fit_cost.hpp"

// Whether the network decides who was treated, beyond the features: what evaluations, learnt rules
// and effects of single units warn of alike.

namespace cone {

/// Predicts the treatment of the nodes that the plan scores, `sample`, without the network and with
/// it. Two fits of the network ridge per arm (of two arms, for one). The data has edges.
NetworkStrength measure_network_treatment(const Context& context, const Dataset& data,
                                          const LoggedSample& sample, const PlanOptions& plan,
                                          const NetworkRidgeOptions& options,
                                          AutoNumber propensity_bound);

/// What that may take.
double network_treatment_seconds(const FitSize& size, const NetworkRidgeOptions& options);

/// The same, however the treatment is predicted: predict(sees_network) is sample × arms, without
/// the network and then with it. Where several processes have a part of the sample each, all of
/// them call it.
using TreatmentPrediction = std::function<Matrix<double>(bool sees_network)>;
NetworkStrength measure_network_treatment(const Context& context, const LoggedSample& sample,
                                          const PropensityBounds& bounds,
                                          const TreatmentPrediction& predict);

/// A sentence where that is clear and notable, which ends with `consequence`: where what the models
/// could not learn of it has gone.
std::optional<std::string> describe_network_treatment(const NetworkStrength& strength,
                                                      std::string_view consequence);

/// Both, of all nodes; nothing to say of data without edges.
std::optional<std::string> find_network_treatment(const Context& context, const Dataset& data,
                                                  const PlanOptions& plan,
                                                  const NetworkRidgeOptions& options,
                                                  std::string_view consequence);

/// Effects of single nodes, with that warning among theirs.
NodeEffects estimate_effects_and_doubts(const Context& context, const Dataset& data,
                                        const EffectOptions& options,
                                        const RidgeFit* known = nullptr);
/// What that may take.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EffectOptions& options,
                                         const RidgeFit* known = nullptr);

}  // namespace cone
