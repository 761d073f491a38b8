#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/forecast.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"

/// \file
/// CONE's networks and the network ridge fitted to a dataset: fitted once, saved to a file, used
/// for any number of policies.

namespace cone {

struct FittedModel;
using Model = std::shared_ptr<const FittedModel>;

struct ModelOptions {
  /// Of networks, network_ridge. Empty: both, except for large data, where training the networks
  /// takes long: the network ridge alone.
  std::vector<std::string> parts;
  PlanOptions plan;
  NetworkRidgeOptions network_ridge;
  ConeOptions cone;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("parts", self.parts,
            "What to fit, of networks and network_ridge; by default both, for large data only the "
            "network ridge");
    PlanOptions::visit(self.plan, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
    ConeOptions::visit(self.cone, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// What fit_model fits on this data.
std::vector<std::string> parts_to_fit(const Dataset& data, const ModelOptions& options);

/// Learns the variances of the network ridge, and one set of networks per fold of the plan. Minutes
/// on large networks; the context's observer may stop it (Cancelled). Throws Error on bad options,
/// and where the data does not allow a fit.
Model fit_model(const Context& context, const Dataset& data, const ModelOptions& options);

/// Expected time of that.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const ModelOptions& options);

/// Reads what save_model wrote. Safe on untrusted files. Throws Error(kData) naming the file.
Model load_model(const std::filesystem::path& path);

/// Writes the model, atomically, in the format of docs/model_format.md.
void save_model(const std::filesystem::path& path, const FittedModel& model);

/// Outcomes and propensities predicted by the model's networks for the nodes that its plan scores.
/// Throws Error(kData) unless it has networks and was fitted to this data.
Nuisances predict_by_model(const Context& context, const Dataset& data, const FittedModel& model,
                           AutoNumber propensity_bound);

}  // namespace cone
