#include "cone/evaluate.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/version.hpp"

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "base/stopwatch.hpp"
#include "data/arm_costs.hpp"
#include "data/memory_fault.hpp"
#include "data/outcome_direction.hpp"
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/diagnostics.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/repeats.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/run.hpp"
#include "evaluate/run_config.hpp"
#include "evaluate/scaling_diagnostics.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "evaluate/verdicts.hpp"

namespace cone {
namespace {

void require_log(const Dataset& data) {
  if (data.has_log()) return;
  throw Error(ErrorCode::kData,
              {{},
               "the data is a network without treatments and outcomes",
               "add treatments and outcomes, or simulate them with cone simulate"});
}

/// A policy's result without estimates.
PolicyResult describe_policy(const PolicyOnData& policy, const LoadedData& data,
                             const LoggedSample& sample) {
  const MatrixView<const double> table = policy.probability.view();
  PolicyResult result{.name = policy.name};
  Checksum checksum;
  for (std::size_t a = 1; a < table.cols(); ++a) {  // the control arm follows from the others
    const std::vector<double> column = arm_column(table, static_cast<Arm>(a));
    checksum.add(std::span<const double>(column));
  }
  result.checksum = checksum.hex();
  Matrix<double> rows = take_rows(table, sample.nodes);
  weigh_rows(sample, rows);
  result.arm_fractions.assign(table.cols(), 0.0);
  for (std::size_t a = 1; a < table.cols(); ++a) {
    result.arm_fractions[a] = mean(arm_column(std::as_const(rows).view(), static_cast<Arm>(a)));
    result.treated_fraction += result.arm_fractions[a];
  }
  result.arm_fractions[0] = 1 - result.treated_fraction;
  if (data.truth) result.truth = data.truth->value(table, sample.nodes, sample.weight);
  return result;
}

/// The checksum of the data does not cover cost columns, and results depend on them.
void add_cost_checksum(const Dataset& data, const EvaluateOptions& options,
                       nlohmann::ordered_json& config) {
  const std::vector<KeptColumn> columns = cost_columns(options.cost);
  if (columns.empty()) return;
  Checksum checksum;
  for (const KeptColumn& column : columns) {
    if (const NamedColumn* kept = data.find_kept(column.name)) {
      checksum.add(std::span<const double>(kept->values));
    }
  }
  config["cost_checksum"] = checksum.hex();
}

/// Outputs that belong to a single fit do not exist for medians over several.
void refuse_beside_repeats(const FittedModel* model, const NodeTable* nodes,
                           const ConeFit* networks) {
  std::vector<Fault> faults;
  const auto refuse = [&](const char* what) {
    faults.push_back({{.item = "--repeats"},
                      fmt::format("cannot be used with {}, which belongs to a single seed", what),
                      "leave one of them out"});
  };
  if (model != nullptr) refuse("a fitted model");
  if (nodes != nullptr) refuse("--nodes");
  if (networks != nullptr) refuse("--attention and --embeddings");
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// Sorts estimates by the order in which the estimators were requested.
void sort_estimates(std::span<const EstimatorInfo> rows, std::vector<PolicyResult>& results) {
  const auto position = [&](const Estimate& estimate) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const EstimatorInfo& row) { return row.name == estimate.estimator; }) -
           rows.begin();
  };
  for (PolicyResult& result : results) {
    std::stable_sort(
        result.estimates.begin(), result.estimates.end(),
        [&](const Estimate& a, const Estimate& b) { return position(a) < position(b); });
  }
}

/// A note of the default estimators that were left out; none where all ran.
std::vector<std::string> note_left_out(const Dataset& data, const EvaluateOptions& options) {
  const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu.has_value();
  const char* why = why_without_networks(data);
  if (!options.estimators.empty() || own_model || why == nullptr) return {};
  std::vector<std::string_view> left_out;
  for (const std::string_view name : default_estimators(own_model)) {
    if (find_estimator(name)->needs(LearnerId::kCone)) left_out.push_back(name);
  }
  return {fmt::format("{} were left out, as {}: --estimators {} runs them",
                      fmt::join(left_out, " and "), why, fmt::join(left_out, ","))};
}

/// A note of requested names that choose_rows() merged into another estimator.
std::vector<std::string> note_renamed(const EvaluateOptions& options,
                                      std::span<const EstimatorInfo> rows) {
  std::vector<std::string> renamed;
  for (const std::string& name : options.estimators) {
    if (std::ranges::find(rows, name, &EstimatorInfo::name) == rows.end()) renamed.push_back(name);
  }
  if (renamed.empty()) return {};
  return {fmt::format(
      "with the given outcome model (mu0, mu1) {} the same as dm or dr",
      renamed.size() == 1 ? renamed[0] + " is" : fmt::format("{} are", fmt::join(renamed, ", ")))};
}

Diagnostics describe_run(const LoadedData& data, const EvaluationRun& run,
                         const EvaluateOptions& options) {
  Diagnostics out = diagnose(data, run.sample(), run.learnt(), run.warnings());
  out.feature_scaling = describe_scaling(data.observed.features, run.rows(), options.nuisance);
  if (const auto& strength = run.strength()) {
    describe_strength(
        *strength, contradicts_declaration(options, strength, !data.observed.cluster.empty()), out);
  }
  if (run.joint_model()) out.joint_model = run.joint_model()->arms;
  std::vector<std::string>& warnings = out.warnings;
  if (auto question = question_direction(outcome_column(data), options.direction)) {
    warnings.insert(warnings.begin(), std::move(*question));
  }
  warnings.insert(warnings.begin(), data.warnings.begin(), data.warnings.end());
  for (std::string& warning : warn_of_rounding_columns(data.observed.features)) {
    warnings.push_back(std::move(warning));
  }
  return out;
}

}  // namespace

bool uses_cone(const Dataset& data, const EvaluateOptions& options) {
  const std::vector<EstimatorInfo> rows = choose_rows(data, options);
  return std::any_of(rows.begin(), rows.end(),
                     [](const EstimatorInfo& row) { return row.needs(LearnerId::kCone); });
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EvaluateOptions& options, const FittedModel* model,
                                         std::size_t num_policies) {
  validate(options);
  require_log(data);
  std::vector<ExpectedCost> costs = list_stages(
      context, data,
      plan_learning(context, data, choose_rows(data, options), options, model, num_policies),
      options);
  for (ExpectedCost& cost : costs) cost.seconds *= options.repeats;
  return costs;
}

namespace {

EvaluationRecord evaluate_all(const Context& context, const LoadedData& data,
                              std::span<const PolicyOnData> policies,
                              const EvaluateOptions& options, const FittedModel* model,
                              NodeTable* nodes, ConeFit* networks) {
  validate(options);
  require_log(data.observed);
  require(!policies.empty(), "evaluate: no policy");
  if (options.repeats > 1) refuse_beside_repeats(model, nodes, networks);
  EvaluationRun run(context, data, policies, options, model, networks);

  EvaluationRecord record;
  record.version = kVersion;
  record.revision = source_revision();
  record.commit = build_commit();
  std::vector<std::string> names;
  for (const PolicyOnData& policy : policies) names.push_back(policy.name);
  record.config = describe_config(context, data.observed, options, run.rows(), names);
  add_cost_checksum(data.observed, options, record.config);
  record.data = summarise(data.observed);
  record.timing_seconds = {{"nuisances", 0.0}, {"estimates", 0.0}};
  for (const PolicyOnData& policy : policies) {
    record.policies.push_back(describe_policy(policy, data, run.sample()));
  }
  bool is_done = false;
  {
    std::optional<StageScope> stage;
    if (options.repeats > 1) {
      stage.emplace(context, fmt::format("repeat 1 of {}", options.repeats), 0,
                    1.0 / options.repeats);
    }
    is_done = run.learn_and_estimate(record);
  }
  if (!is_done) {
    if (record.policies.front().estimates.empty()) throw Cancelled();
    record.status = "interrupted";
    for (const EstimatorInfo& row : run.waiting()) record.unfinished.emplace_back(row.name);
  }
  if (is_done && options.repeats > 1) {
    repeat_and_take_medians(context, data, policies, options, run.sample(), record);
  }
  // Finished results are kept when the user interrupts.
  const auto unless_stopped = [&](const auto& work) {
    try {
      work();
    } catch (const Cancelled&) {
      record.status = "interrupted";
    }
  };
  unless_stopped([&] { record.decision = run.compare(record.policies); });
  if (record.decision) record.decision->outcome = outcome_column(data);
  if (record.decision && run.strength()) {
    record.decision->strength_is_clear = run.strength()->is_clear;
    record.decision->direction_is_known = std::ranges::any_of(
        run.strength()->arms, [](const ArmConfounding& arm) { return arm.direction != 0; });
  }
  unless_stopped([&] {
    if (run.rankings().empty()) return;
    const Stopwatch watch;
    record.budget_curves = run.trace_budgets();
    record.timing_seconds["budget_curves"] = watch.seconds();
    for (std::size_t k = 0; data.truth && k < record.budget_curves.size(); ++k) {
      add_true_gains(*data.truth, run.sample(), run.rankings()[k], record.budget_curves[k]);
    }
  });
  if (nodes != nullptr) *nodes = run.describe_nodes(record.policies);
  note_better_regressions(run.sample(), run.learnt(), record.policies);
  sort_estimates(run.rows(), record.policies);
  record.notes = note_left_out(data.observed, options);
  for (std::string& note : note_renamed(options, run.rows())) record.notes.push_back(note);
  record.diagnostics = describe_run(data, run, options);
  std::vector<std::string> learnt = warn_of_learnt_policies(data.observed, policies);
  std::vector<std::string>& warnings = record.diagnostics.warnings;
  warnings.insert(warnings.begin(), learnt.begin(), learnt.end());
  if (is_done && record.repeats < options.repeats) {
    record.diagnostics.warnings.push_back(fmt::format(
        "interrupted: medians are over {} of {} repeats", record.repeats, options.repeats));
  }
  const Stopwatch watch;
  const LocalNeighbourhood network(data.observed.graph);
  add_verdicts(context, run.judged(network), record.policies, record.diagnostics);
  record.timing_seconds["diagnostics"] = watch.seconds();
  if (record.decision) {
    unless_stopped([&] {
      describe_association(run.associate_residuals(record.decision->estimator), *record.decision,
                           run.strength().has_value(), record.diagnostics);
    });
    warn_of_refused_dependence(options.estimator.dependence, *record.decision,
                               record.diagnostics.warnings);
  }
  return record;
}

}  // namespace

EvaluationRecord evaluate(const Context& context, const LoadedData& data,
                          std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                          const FittedModel* model, NodeTable* nodes, ConeFit* networks) {
  try {
    return evaluate_all(context, data, policies, options, model, nodes, networks);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kIo, name_largest_table(context, data.observed, policies.size()));
  }
}

}  // namespace cone
