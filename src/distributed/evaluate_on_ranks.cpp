#include "distributed/evaluate_on_ranks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/version.hpp"

#include "base/stopwatch.hpp"
#include "data/outcome_direction.hpp"
#include "distributed/collective_error.hpp"
#include "distributed/find_groups.hpp"
#include "distributed/rank_estimators.hpp"
#include "distributed/rank_record.hpp"
#include "distributed/rank_run.hpp"
#include "distributed/read_data.hpp"
#include "distributed/sanity_checks.hpp"
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/diagnostics.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/run_config.hpp"
#include "evaluate/scaling_diagnostics.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "evaluate/verdicts.hpp"
#include "network_ridge/groups.hpp"

namespace cone::distributed {
namespace {

/// Refuses groups of the network ridge that one process alone supports.
void refuse_groups(const Communicator& comm, const LocalData& local,
                   const NetworkRidgeOptions& options) {
  const bool asks_for_communities =
      local.has_edges() && asks_for(options.ridge_groups, GroupKind::kCommunities);
  const bool asks_for_exponential =
      local.numeric.cols() > 0 && asks_for(options.ridge_groups, kExponentialSwitch);
  if (!asks_for_communities && !asks_for_exponential) return;
  std::vector<std::string_view> others(kGroupSwitches.begin(), kGroupSwitches.end());
  std::erase(others, "communities");
  std::erase(others, kExponentialSwitch);
  FaultList faults;
  if (comm.is_root()) {
    faults.add("groups",
               {{.item = "--engine petsc"},
                fmt::format("the network ridge has no {} on several ranks",
                            asks_for_communities ? "community effects" : "exponential feature"),
                fmt::format("evaluate without --engine petsc, or with --ridge-groups {}",
                            fmt::join(others, ","))});
  }
  throw_if_any(comm, faults, ErrorCode::kUsage);
}

/// Diagnostics of overlap, models and residuals, as in one process.
void add_diagnostics(const RankRun& run, const EvaluateOptions& options, EvaluationRecord& record) {
  Diagnostics& out = record.diagnostics;
  const FeatureTable& features = run.data().features;
  out.feature_scaling = describe_scaling(features, run.rows(), options.nuisance);
  const std::vector<std::string> rounding = warn_of_rounding_columns(features, *run.sample().comm);
  out.warnings.insert(out.warnings.end(), rounding.begin(), rounding.end());
  add_verdicts(run.shared_context(), run.judged(), record.policies, out);
  if (!record.decision) return;
  describe_association(run.associate_residuals(record.decision->estimator), *record.decision,
                       run.strength().has_value(), out);
}

}  // namespace

EvaluationRecord evaluate_on_ranks(const Context& context, const Communicator& comm,
                                   const std::filesystem::path& folder, const LoadOptions& table,
                                   std::span<const std::string> policies,
                                   const EvaluateOptions& options, Partition partition,
                                   const Partitioner* partitioner, EngineReport& report) {
  std::vector<EstimatorInfo> rows = choose_rows(comm, options);
  EvaluationRecord record;
  record.version = kVersion;
  record.revision = source_revision();
  record.commit = build_commit();
  const Stopwatch total;
  Stopwatch watch;
  const auto take_time = [&](const char* phase) {
    record.timing_seconds[phase] = watch.seconds();
    watch = Stopwatch();
  };
  const auto finish = [&](const char* phase) {
    take_time(phase);
    report.meter.finish(phase);
  };
  ReadData read = read_on_ranks(context, comm, folder, table, policies, report.meter);
  report.partition = repartition(context, comm, partition, partitioner, read.global, read.rows);
  report.meter.finish("partition");
  LocalData local = build_local_data(comm, std::move(read.rows), std::move(read.global));
  report.num_ghosts = local.rows->remote.size();
  report.meter.finish("positions");
  take_time("load");
  const bool uses_network_ridge = std::ranges::any_of(
      rows, [](const EstimatorInfo& row) { return row.needs(LearnerId::kNetworkRidge); });
  if (uses_network_ridge) refuse_groups(comm, local, options.network_ridge);
  std::vector<std::string> truth_warnings;
  drop_inconsistent_truth(comm, local, truth_warnings);
  RankRun run(context, comm, options, std::move(rows), local);
  refuse_leaks(run.shared_context(), comm, run.data(), (folder / "nodes.csv").string());
  record.config = describe_config(run.shared_context(), run.data(), options, run.rows(),
                                  local.global.policy_names);
  record.data = summarise(local.global);
  for (std::size_t k = 0; k < local.policies.size(); ++k) {
    record.policies.push_back(describe_policy(comm, local, k));
  }
  run.learn(finish);
  run.estimate(record.policies);
  finish("estimates");
  run.add_sensitivity_intervals(record.policies);
  if (run.strength()) finish("unmeasured confounding");
  record.decision = run.compare(record.policies);
  const std::string outcome = table.outcome.empty() ? "outcome" : table.outcome;
  if (record.decision) record.decision->outcome = outcome;
  if (record.decision && run.strength()) {
    record.decision->strength_is_clear = run.strength()->is_clear;
  }
  note_better_regressions(run.sample(), run.learnt(), record.policies);
  finish("comparisons");
  record.diagnostics = diagnose_models(run.sample(), run.learnt(), run.warnings());
  if (run.strength()) {
    describe_strength(*run.strength(), contradicts_declaration(options, run.strength(), false),
                      record.diagnostics);
  }
  describe_network(comm, local, record.diagnostics);
  std::vector<std::string>& warnings = record.diagnostics.warnings;
  if (auto question = question_direction(outcome, options.direction)) {
    warnings.insert(warnings.begin(), std::move(*question));
  }
  warnings.insert(warnings.begin(), truth_warnings.begin(), truth_warnings.end());
  add_diagnostics(run, options, record);
  finish("diagnostics");
  if (record.decision) {
    warn_of_refused_dependence(options.estimator.dependence, *record.decision, warnings);
  }
  warn_of_missing_groups(local.global, warnings);
  warnings.emplace_back(
      "--engine petsc makes only some of the data checks: run cone check on a sample of the data");
  record.notes = local.global.notes;
  if (std::string skipped = describe_skipped(options); !skipped.empty()) {
    record.notes.push_back(std::move(skipped));
  }
  record.timing_seconds["total"] = total.seconds();
  return record;
}

}  // namespace cone::distributed
