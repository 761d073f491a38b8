#include "evaluate/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/outcome_direction.hpp"
#include "diagnostics/calibration.hpp"
#include "diagnostics/outcome_model.hpp"
#include "diagnostics/residuals.hpp"
#include "diagnostics/scaling.hpp"
#include "diagnostics/verdicts.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// The learner that a table is from.
std::string find_name(const LearntNuisances& learnt, const PropensityTable* table) {
  for (const auto& [learner, nuisances] : learnt.parts()) {
    if (nuisances.propensity && &*nuisances.propensity == table) {
      return std::string(learner.name());
    }
  }
  return "";
}

constexpr std::size_t kMostCurves = 10;

/// The learners, sorted by name.
std::map<std::string, const Nuisances*> sort_by_name(const LearntNuisances& learnt) {
  std::map<std::string, const Nuisances*> sorted;
  for (const auto& [learner, nuisances] : learnt.parts()) {
    sorted[std::string(learner.name())] = &nuisances;
  }
  return sorted;
}

/// Out-of-fold quality of the learnt nuisances.
Diagnostics diagnose_models(const EvaluationPlan& plan, const Learnt& learnt) {
  const LoggedSample& sample = plan.sample;
  Diagnostics out;
  out.num_evaluated_nodes = static_cast<std::uint64_t>(sample.comm->count(sample.size()));
  std::set<std::string> said;
  std::vector<std::string> of_propensities;
  std::vector<std::string> of_outcomes;
  for (const auto& [name, nuisances] : sort_by_name(learnt.nuisances)) {
    if (nuisances->propensity) {
      const PropensityTable& table = *nuisances->propensity;
      out.propensity_models.push_back(diagnose_propensity(name, sample, table, out.warnings));
      for (const std::string& warning : table.warnings) {
        // Positivity violations concern the data, and several models list them.
        if (!said.insert(warning).second) continue;
        of_propensities.push_back(fmt::format("propensity ({}): {}", name, warning));
      }
    }
    if (nuisances->outcome) {
      const OutcomeTable& table = *nuisances->outcome;
      out.outcome_models.push_back(diagnose_outcomes(name, sample, table));
      if (table.network_ridge != nullptr) out.network_ridge = *table.network_ridge;
      for (const std::string& warning : table.warnings) {
        of_outcomes.push_back(fmt::format("{}: {}", name, warning));
      }
    }
  }
  for (const FoldTraining& training : learnt.nuisances.trainings()) {
    out.trainings.push_back(training);
    // Folds are similar: the curves of a few suffice.
    if (out.trainings.size() > kMostCurves) out.trainings.back().curves = {};
  }
  for (const auto* part : {&plan.warnings, &learnt.warnings, &std::as_const(of_propensities),
                           &std::as_const(of_outcomes)}) {
    out.warnings.insert(out.warnings.end(), part->begin(), part->end());
  }
  return out;
}

}  // namespace

DataSummary summarise(const Dataset& data) {
  const std::vector<std::size_t> sizes = data.arm_sizes();
  std::vector<ArmSummary> arms;
  for (std::size_t a = 0; a < sizes.size(); ++a) arms.push_back({data.arms[a], sizes[a]});
  return {.num_nodes = data.num_nodes_of_all(),
          .num_edges = data.num_edges(),
          .num_features = data.features.matrix.cols(),
          .num_numeric_features = data.features.num_dense,
          .num_treated = data.num_nodes_of_all() - sizes[kControlArm],
          .arms = std::move(arms),
          .effective_sample_size =
              data.weight.empty() ? std::nullopt : std::optional(data.effective_sample_size()),
          .num_clusters = data.comm().allreduce_max(
              data.cluster.empty() ? 0 : std::uint64_t{std::ranges::max(data.cluster)} + 1),
          .checksum = data.checksum()};
}

Diagnostics diagnose(const Context& context, const LoadedData& data,
                     std::span<const PolicyOnData> policies, const EvaluationPlan& plan,
                     const Learnt& learnt, const EvaluateOptions& options,
                     std::span<const PolicyResult> results, const Decision* decision,
                     const std::optional<AssociationDiagnostics>& association) {
  const Dataset& observed = data.observed;
  Diagnostics out = diagnose_models(plan, learnt);
  for (NodeIndex i = 0; i < observed.num_nodes(); ++i) {
    out.num_isolated_nodes += observed.degree(i) == 0 ? 1 : 0;
  }
  out.num_isolated_nodes = observed.comm().allreduce(out.num_isolated_nodes);
  out.num_self_loops_dropped = data.edges.num_self_loops;
  out.num_edges_merged = data.edges.num_merged;
  out.feature_scaling = describe_scaling(observed.features, plan.rows, options.nuisance);
  if (learnt.strength) {
    describe_strength(*learnt.strength,
                      contradicts_declaration(options, learnt.strength, !observed.cluster.empty()),
                      out);
  }
  if (learnt.joint) out.joint_model = learnt.joint->arms;
  std::vector<std::string> first = warn_of_learnt_policies(observed, policies);
  first.insert(first.end(), data.warnings.begin(), data.warnings.end());
  if (auto question = question_direction(outcome_column(data), options.direction)) {
    first.push_back(std::move(*question));
  }
  out.warnings.insert(out.warnings.begin(), first.begin(), first.end());
  std::ranges::move(warn_of_rounding_columns(observed.features, observed.comm()),
                    std::back_inserter(out.warnings));
  if (const EstimatorInfo* headline = choose_headline(learnt.ready)) {
    const PropensityTable* propensity = learnt.nuisances.propensity_of(*headline);
    add_verdicts(context,
                 {.data = observed,
                  .sample = plan.sample,
                  .folds = plan.folds,
                  .results = results,
                  .policies = plan.policies.sample,
                  .estimator = *headline,
                  .propensity = propensity,
                  .propensity_model = find_name(learnt.nuisances, propensity),
                  .outcome = learnt.nuisances.outcome_of(*headline)},
                 out);
  }
  if (decision != nullptr) {
    describe_association(association, *decision, learnt.strength.has_value(), out);
    warn_of_refused_dependence(options.estimator.dependence, *decision, out.warnings);
  }
  return out;
}

}  // namespace cone
