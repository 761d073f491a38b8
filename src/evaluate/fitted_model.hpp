#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "network_ridge/ridge_fit.hpp"

namespace cone {

/// Models that were fitted to a dataset and can be used for any number of policies: at least one of
/// the two. Both are of one dataset, one plan and one seed.
struct FittedModel {
  std::optional<ConeFit> networks;
  std::optional<RidgeFit> network_ridge;

  const PlanOptions& plan() const { return networks ? networks->plan : network_ridge->plan; }
  std::uint64_t seed() const { return networks ? networks->seed : network_ridge->seed; }
  const std::string& data_checksum() const {
    return networks ? networks->data_checksum : network_ridge->data_checksum;
  }
  const std::vector<std::string>& arms() const {
    return networks ? networks->arms : network_ridge->arms;
  }
};

/// nullptr where there is no model, or none of that kind in it.
inline const ConeFit* networks_of(const FittedModel* model) {
  return model != nullptr && model->networks ? &*model->networks : nullptr;
}
inline const RidgeFit* network_ridge_of(const FittedModel* model) {
  return model != nullptr && model->network_ridge ? &*model->network_ridge : nullptr;
}

}  // namespace cone
