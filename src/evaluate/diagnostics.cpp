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
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/scaling_diagnostics.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "evaluate/verdicts.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// Negative log-likelihood of an arm, bounded so that a node of propensity 0 leaves the mean
/// finite.
double log_loss(double probability) {
  constexpr double kSmallest = 1e-15;
  return -std::log(std::max(kSmallest, probability));
}

/// Log losses of the logged arms under the propensities and under a constant.
struct LogLosses {
  std::vector<double> model;
  std::vector<double> constant;  ///< the arms' shares of the other nodes (leave-one-out)
};

LogLosses log_losses(const LoggedSample& sample, const PropensityTable& table) {
  std::vector<double> count(sample.num_arms(), 0.0);
  for (const Arm arm : sample.arm) ++count[arm];
  sample.comm->allreduce(count);
  const double num_others = sum(count) - 1;
  LogLosses losses;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm own = sample.arm[i];
    double share = 1;  // of the control arm: the remainder
    for (std::size_t a = 1; a < count.size(); ++a) {
      const double others = (count[a] - (a == own ? 1 : 0)) / num_others;
      if (a == own) share = others;
      if (own == kControlArm) share -= others;
    }
    losses.model.push_back(log_loss(table.e(i, own)));
    losses.constant.push_back(log_loss(share));
  }
  return losses;
}

PropensityDiagnostics diagnose_propensity(const std::string& name, const LoggedSample& sample,
                                          const PropensityTable& table,
                                          std::vector<std::string>& warnings) {
  PropensityDiagnostics out{
      .name = name, .min = 1, .max = 0, .clipped_fraction = table.clipped_fraction};
  // With two arms one determines the other.
  for (std::size_t a = sample.num_arms() == 2 ? 1 : 0; a < sample.num_arms(); ++a) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.min = std::min(out.min, table.e(i, a));
      out.max = std::max(out.max, table.e(i, a));
    }
  }
  const Communicator& comm = *sample.comm;
  out.min = -comm.allreduce_max(-out.min);
  out.max = comm.allreduce_max(out.max);
  const LogLosses losses = log_losses(sample, table);
  out.log_loss = mean(losses.model, comm);
  out.constant_log_loss = mean(losses.constant, comm);
  std::vector<double> excess(sample.size());
  for (std::size_t k = 0; k < excess.size(); ++k) excess[k] = losses.model[k] - losses.constant[k];
  // A model without signal is slightly worse than a constant by chance: warn beyond that.
  if (mean(excess, comm) > 2 * standard_error(excess, comm)) {
    warnings.push_back(
        sentence("propensity ({}): predicts the logged arms worse than a constant (log loss "
                 "{:.4f} against {:.4f})",
                 out.name, out.log_loss, out.constant_log_loss));
  }
  return out;
}

double r_squared(const LoggedSample& sample, const OutcomeTable& table) {
  const Communicator& comm = *sample.comm;
  const double centre = mean(sample.outcome, comm);
  CompensatedSum residual;
  CompensatedSum spread;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double error = sample.outcome[i] - table.mu(i, sample.arm[i]);
    residual.add(error * error);
    spread.add((sample.outcome[i] - centre) * (sample.outcome[i] - centre));
  }
  return 1 - comm.allreduce(residual.value()) / comm.allreduce(spread.value());
}

constexpr std::size_t kMostCurves = 10;

TrainingDiagnostics describe_training(const FoldTraining& training) {
  return {.status = std::string(enum_name(training.status)),
          .epochs = training.epochs,
          .best_epoch = training.best_epoch,
          .validation_outcome_loss = training.encoder_head_mse,
          .validation_treatment_loss = training.treatment_head_loss,
          .outcome_error = training.arm_network_mse,
          .propensity_loss = training.propensity_loss,
          .curves = training.curves};
}

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
      out.outcome_models.push_back({.name = name, .r_squared = r_squared(sample, table)});
      if (table.network_ridge != nullptr) out.network_ridge = *table.network_ridge;
      for (const std::string& warning : table.warnings) {
        of_outcomes.push_back(fmt::format("{}: {}", name, warning));
      }
    }
  }
  for (const FoldTraining& training : learnt.nuisances.trainings()) {
    out.trainings.push_back(describe_training(training));
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
    describe_strength(
        *learnt.strength,
        contradicts_declaration(options, learnt.strength, !observed.cluster.empty()), out);
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
  add_verdicts(context, observed, plan, learnt, results, out);
  if (decision != nullptr) {
    describe_association(association, *decision, learnt.strength.has_value(), out);
    warn_of_refused_dependence(options.estimator.dependence, *decision, out.warnings);
  }
  return out;
}

}  // namespace cone
