#include "experiment/diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/base/numeric.hpp"

namespace cone {
namespace {

/// Negative log-likelihood of a treatment, bounded so that one impossible node stays readable.
double log_loss(double probability, std::uint8_t treatment) {
  constexpr double kSmallest = 1e-15;
  return -std::log(std::max(kSmallest, treatment == 1 ? probability : 1 - probability));
}

PropensityDiagnostics diagnose_propensity(const PropensityNuisance& nuisance, const Dataset& data,
                                          std::span<const NodeIndex> scored) {
  PropensityDiagnostics out{
      .source = nuisance.source, .min = 1, .max = 0, .clipped_fraction = nuisance.clipped_fraction};
  const auto n = static_cast<double>(scored.size());
  CompensatedSum loss;
  double num_treated = 0;
  for (const NodeIndex i : scored) {
    const double e = nuisance.probability[i];
    out.min = std::min(out.min, e);
    out.max = std::max(out.max, e);
    loss.add(log_loss(e, data.treatment[i]));
    num_treated += data.treatment[i];
  }
  out.log_loss = loss.value() / n;
  const double share = num_treated / n;
  out.constant_log_loss = share * log_loss(share, 1) + (1 - share) * log_loss(share, 0);
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
  if (nuisances.propensity) add("propensity", nuisances.propensity->warnings);
  for (const auto& [name, model] : nuisances.outcome_models) add(name, model.warnings);
  if (out.propensity && out.propensity->log_loss > out.propensity->constant_log_loss) {
    out.warnings.push_back(fmt::format(
        "propensity: the {} propensities describe the log worse than a constant would "
        "(log loss {:.4f} against {:.4f})",
        out.propensity->source, out.propensity->log_loss, out.propensity->constant_log_loss));
  }
}

}  // namespace

DataSummary summarise(const Dataset& data) {
  return {.num_nodes = data.num_nodes(),
          .num_edges = data.graph.num_edges(),
          .num_features = data.features.matrix.cols(),
          .num_treated = data.num_treated(),
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
  if (nuisances.propensity) {
    out.propensity = diagnose_propensity(*nuisances.propensity, observed, nuisances.scored);
  }
  for (const auto& [name, model] : nuisances.outcome_models) {
    out.outcome_models.push_back({name, r_squared(model, observed, nuisances.scored)});
  }
  add_warnings(nuisances, out);
  return out;
}

}  // namespace cone
