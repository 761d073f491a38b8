#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "network_ridge/groups.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The network ridge fitted to a dataset: together with the data, all that its equations need. They
/// are solved again on use, which is cheap compared with learning the variances.
struct RidgeFit {
  PlanOptions plan;
  NetworkRidgeOptions options;
  std::uint64_t seed = 0;
  std::string data_checksum;      ///< Dataset::checksum() of what it was fitted to
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<GroupKind> groups;  ///< that the options include and the data has features for
  std::vector<std::vector<ArmModel>> parts;  ///< by tasks that share variances, by arm

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

/// Writes options, groups and variances, without what the file stores once (plan, seed, data,
/// arms).
void put_network_ridge(ByteWriter& writer, const RidgeFit& fit);

/// Reads what put_network_ridge wrote into a fit that has plan, seed, data and arms already. Safe
/// on untrusted bytes. Reads to the end; throws Error(kData) where the bytes are not such a
/// section.
void next_network_ridge(ByteReader& reader, RidgeFit& fit);

}  // namespace cone
