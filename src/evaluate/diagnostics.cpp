#include "evaluate/diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "estimate/value_and_influence.hpp"

namespace cone {
namespace {

/// Negative log-likelihood of a treatment, bounded so that one impossible node stays readable.
double log_loss(double probability, std::uint8_t treatment) {
  constexpr double kSmallest = 1e-15;
  return -std::log(std::max(kSmallest, treatment == 1 ? probability : 1 - probability));
}

/// How the logged treatments look to the propensities and to a constant.
struct LogLosses {
  std::vector<double> model;
  std::vector<double>
      constant;  ///< the share of treated among the other nodes, so no node helps itself
};

LogLosses log_losses(const PropensityNuisance& nuisance, const Dataset& data,
                     std::span<const NodeIndex> scored) {
  double num_treated = 0;
  for (const NodeIndex i : scored) num_treated += data.treatment[i];
  const double num_others = static_cast<double>(scored.size()) - 1;
  LogLosses losses;
  for (const NodeIndex i : scored) {
    const double share_of_others = (num_treated - data.treatment[i]) / num_others;
    losses.model.push_back(log_loss(nuisance.probability[i], data.treatment[i]));
    losses.constant.push_back(log_loss(share_of_others, data.treatment[i]));
  }
  return losses;
}

PropensityDiagnostics diagnose_propensity(const std::string& name,
                                          const PropensityNuisance& nuisance, const Dataset& data,
                                          std::span<const NodeIndex> scored,
                                          std::vector<std::string>& warnings) {
  PropensityDiagnostics out{
      .name = name, .min = 1, .max = 0, .clipped_fraction = nuisance.clipped_fraction};
  for (const NodeIndex i : scored) {
    out.min = std::min(out.min, nuisance.probability[i]);
    out.max = std::max(out.max, nuisance.probability[i]);
  }
  const LogLosses losses = log_losses(nuisance, data, scored);
  out.log_loss = mean(losses.model);
  out.constant_log_loss = mean(losses.constant);
  std::vector<double> excess(scored.size());
  for (std::size_t k = 0; k < excess.size(); ++k) excess[k] = losses.model[k] - losses.constant[k];
  // Chance alone makes a useless model a little worse than a constant: speak up beyond that.
  if (mean(excess) > 2 * standard_error(excess)) {
    warnings.push_back(
        fmt::format("propensity ({}): describes the log worse than a constant would (log loss "
                    "{:.4f} against {:.4f})",
                    out.name, out.log_loss, out.constant_log_loss));
  }
  return out;
}

double r_squared(const OutcomePredictions& model, const Dataset& data,
                 std::span<const NodeIndex> scored) {
  CompensatedSum total;
  for (const NodeIndex i : scored) total.add(data.outcome[i]);
  const double centre = total.value() / static_cast<double>(scored.size());
  CompensatedSum residual;
  CompensatedSum spread;
  for (const NodeIndex i : scored) {
    const double error = data.outcome[i] - (data.treatment[i] == 1 ? model.mu1[i] : model.mu0[i]);
    residual.add(error * error);
    spread.add((data.outcome[i] - centre) * (data.outcome[i] - centre));
  }
  return 1 - residual.value() / spread.value();
}

void add_warnings(const NuisanceSet& nuisances, Diagnostics& out) {
  const auto add = [&](const std::string& source, const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
      out.warnings.push_back(fmt::format("{}: {}", source, warning));
    }
  };
  out.warnings.insert(out.warnings.end(), nuisances.warnings.begin(), nuisances.warnings.end());
  for (const auto& [name, nuisance] : nuisances.propensities) {
    add(fmt::format("propensity ({})", name), nuisance.warnings);
  }
  for (const auto& [name, model] : nuisances.outcome_models) add(name, model.warnings);
}

}  // namespace

DataSummary summarise(const Dataset& data) {
  return {.num_nodes = data.num_nodes(),
          .num_edges = data.graph.num_edges(),
          .num_features = data.features.matrix.cols(),
          .num_dense_features = data.features.num_dense,
          .num_treated = data.arm_sizes()[1],
          .checksum = data.checksum()};
}

Diagnostics diagnose(const LoadedData& data, const NuisanceSet& nuisances) {
  const Dataset& observed = data.observed;
  Diagnostics out;
  out.num_evaluated_nodes = nuisances.scored.size();
  for (std::size_t i = 0; i < observed.num_nodes(); ++i) {
    out.num_isolated_nodes += observed.graph.degree(static_cast<NodeIndex>(i)) == 0 ? 1 : 0;
  }
  out.num_self_loops_dropped = data.edges.num_self_loops;
  out.num_edges_merged = data.edges.num_merged;
  for (const auto& [name, nuisance] : nuisances.propensities) {
    out.propensity_models.push_back(
        diagnose_propensity(name, nuisance, observed, nuisances.scored, out.warnings));
  }
  for (const auto& [name, model] : nuisances.outcome_models) {
    out.outcome_models.push_back({name, r_squared(model, observed, nuisances.scored)});
  }
  for (const FoldTraining& training : nuisances.trainings) {
    out.trainings.push_back({.status = std::string(enum_name(training.status)),
                             .epochs = training.epochs,
                             .best_epoch = training.best_epoch,
                             .validation_outcome_loss = training.validation_outcome_loss,
                             .validation_treatment_loss = training.validation_treatment_loss,
                             .outcome_error = training.outcome_error,
                             .propensity_loss = training.propensity_loss});
  }
  add_warnings(nuisances, out);
  return out;
}

}  // namespace cone
