#include "evaluate/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cone/error.hpp"

#include "estimate/weights.hpp"
#include "evaluate/balance_diagnostics.hpp"
#include "evaluate/calibration_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/degree_diagnostics.hpp"
#include "evaluate/overlap_diagnostics.hpp"
#include "evaluate/stability_diagnostics.hpp"
#include "evaluate/variance_diagnostics.hpp"

namespace cone {
namespace {

std::vector<EstimatorInfo> finished_rows(const EvaluationRun& run) {
  std::vector<EstimatorInfo> finished;
  for (const EstimatorInfo& row : run.rows()) {
    const auto is_row = [&](const EstimatorInfo& other) { return other.name == row.name; };
    if (std::ranges::none_of(run.waiting(), is_row)) finished.push_back(row);
  }
  return finished;
}

std::string find_name(const LearntNuisances& learnt, const PropensityTable& table) {
  for (const auto& [learner, nuisances] : learnt.parts()) {
    if (nuisances.propensity && &*nuisances.propensity == &table) {
      return std::string(enum_name(learner));
    }
  }
  return "";
}

/// The worst entry speaks for all: a caution before what is fine, then the largest badness.
template <class Entry, class Badness>
void summarise_entries(const char* name, const std::vector<Entry>& entries, bool is_news,
                       const Badness& badness, Diagnostics& out) {
  const auto worst = std::ranges::max_element(entries, {}, [&](const Entry& entry) {
    return std::pair(entry.verdict.is_caution, std::invoke(badness, entry));
  });
  if (worst != entries.end()) out.verdicts.push_back({name, worst->verdict, is_news});
}

void add_propensity_verdicts(const Context& context, const Dataset& data,
                             const LoggedSample& sample, const PropensityTable& propensity,
                             std::span<const PolicyOnData> policies, Diagnostics& out) {
  const MatrixView<const double> e = propensity.e.view();
  out.overlap = measure_arm_overlap(sample, e);
  out.weights = measure_weight_tails(sample, e, policies);
  out.support = measure_support(sample, propensity, policies);
  out.calibration = measure_calibration(sample, e);
  try {
    out.balance = measure_balance(context, data, sample, e);
  } catch (const Cancelled&) {
    // All estimates are there by now, or were asked to stop before.
    out.warnings.emplace_back("the balance of the arms was not looked at: interrupted");
  }
  summarise_entries("overlap", out.overlap, false, &ArmOverlap::rare_fraction, out);
  summarise_entries(
      "weights", out.weights, false, [](const WeightTail& w) { return -w.effective_nodes; }, out);
  summarise_entries("support", out.support, false, &PolicySupport::unsupported_fraction, out);
  summarise_entries("calibration", out.calibration, true, &ArmCalibration::mean_gap, out);
  summarise_entries("balance", out.balance, true, &ArmBalance::largest_after, out);
}

}  // namespace

void add_verdicts(const Context& context, const Dataset& data, const EvaluationRun& run,
                  std::span<const PolicyOnData> policies, std::span<const PolicyResult> results,
                  Diagnostics& out) {
  const LoggedSample& sample = run.sample();
  const std::vector<EstimatorInfo> finished = finished_rows(run);
  const EstimatorInfo* headline = choose_headline(finished);
  for (OutcomeDiagnostics& model : out.outcome_models) model.verdict = judge_fit(model);
  if (headline == nullptr) return;
  if (const PropensityTable* propensity = run.learnt().propensity_of(*headline)) {
    out.propensity_model = find_name(run.learnt(), *propensity);
    add_propensity_verdicts(context, data, sample, *propensity, policies, out);
  }
  if (const OutcomeTable* outcome = run.learnt().outcome_of(*headline)) {
    const std::string name(enum_name(headline->outcome));
    for (const OutcomeDiagnostics& model : out.outcome_models) {
      if (model.name == name) out.verdicts.push_back({"outcome model", model.verdict, false});
    }
    if (data.graph.num_edges() > 0) {
      const std::vector<double> left = residuals(sample.arm, sample.outcome, outcome->mu.view());
      out.residuals_by_degree = {measure_degree_residuals(data.graph, sample.nodes, left, name)};
      summarise_entries(
          "residuals by degree", out.residuals_by_degree, true,
          [](const DegreeResiduals& r) { return std::abs(r.correlation); }, out);
    }
  }
  if (out.network_ridge) {
    out.variance_shares = share_variance(*out.network_ridge, sample.arms);
    summarise_entries("variance shares", out.variance_shares, false, &VarianceShares::noise, out);
  }
  out.stability = measure_stability(results, headline->name, run.plan(), data.cluster);
  summarise_entries(
      "stability", out.stability, true, [](const PolicyStability& s) { return -s.fold_p; }, out);
}

}  // namespace cone
