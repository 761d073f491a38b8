#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/learn_variances.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The variance components of some tasks that share them: one entry per arm each.
struct RidgeVariances {
  std::vector<ArmModel> arms;
  std::vector<LearntVariances> learnt;
};

/// The network ridge fitted to a dataset: together with the data, all that its equations need. They
/// are solved again on use, which is cheap compared with learning the variances.
struct RidgeFit {
  PlanOptions plan;
  NetworkRidgeOptions options;
  std::uint64_t seed = 0;
  std::string data_checksum;      ///< Dataset::checksum() of what it was fitted to
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<GroupKind> groups;  ///< that the options include and the data has features for
  std::vector<RidgeVariances> parts;

  /// One for all tasks, or one per task where variances are learnt per fold.
  static std::size_t num_parts(const PlanOptions& plan, const NetworkRidgeOptions& options) {
    return options.ridge_variances == VarianceFits::kOnce ? 1 : plan.num_tasks();
  }
};

/// Learns the variances for the plan that the options and the context's seed make. Throws what a
/// learner throws.
RidgeFit fit_network_ridge(const Context& context, const Dataset& data, const PlanOptions& plan,
                           const NetworkRidgeOptions& options);

/// The variance components of the fit, for the record.
NetworkRidgeSummary summarise_fit(const RidgeFit& fit);

/// estimate_effects() with the variances of a fit: options (but for undersmoothing, solver and
/// draws), folds and seed must be those of that fit, and so must the data. nullptr: they are
/// learnt.
NodeEffects estimate_effects(const Context& context, const Dataset& data,
                             const EffectOptions& options, const RidgeFit* known);
/// Expected time of that: the ridge, predictions, standard deviations and the treatment model.
std::vector<ExpectedCost> expected_effect_costs(const Context& context, const Dataset& data,
                                                const EffectOptions& options,
                                                const RidgeFit* known);

}  // namespace cone
