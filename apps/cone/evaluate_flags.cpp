#include "evaluate_flags.hpp"

#include <string>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"

#include "flag_checks.hpp"

namespace cone::app {
namespace {

/// Refuses files about a single fit where several are combined.
void refuse_beside_repeats(const EvaluateFlags& flags) {
  if (flags.options.repeats == 1) return;
  std::vector<OutputFile> files = flags.explanations.outputs();
  files.push_back({"--nodes", flags.nodes});
  files.push_back({"--budget-curve", flags.budget_curve});
  std::vector<Fault> faults;
  for (const auto& [flag, file] : files) {
    if (file.empty()) continue;
    faults.push_back({{.item = flag},
                      "belongs to a single seed, and --repeats takes medians over several",
                      "leave one of them out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// Refuses flags of budget curves where there are no curves.
void check_budget_flags(const CLI::App& command, const EvaluateFlags& flags) {
  refuse_idle_budget(flags_given(command),
                     !flags.options.budget.rank.empty() || !flags.budget_curve.empty());
  if (!flags.budget_curve.empty() && flags.options.plan.protocol == Protocol::kSplit) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--budget-curve"},
                 "has no effect with --protocol split, which compares no policies",
                 "leave one of them out"});
  }
}

/// Refuses ids in a report that is not written.
void check_report_flags(const EvaluateFlags& flags) {
  if (!flags.report_ids || !flags.report.empty()) return;
  throw Error(ErrorCode::kUsage, {{.item = "--report-ids"},
                                  "has no effect without --report",
                                  "add --report, or leave it out"});
}

/// Refuses what ranks that read their parts do not have: the ids of all nodes.
void refuse_rows_of_nodes(const EvaluateFlags& flags) {
  if (flags.engine.reading != "sharded") return;
  std::vector<Fault> faults;
  for (const auto& [flag, file] :
       {OutputFile{"--nodes", flags.nodes}, {"--report", flags.report}}) {
    if (file.empty()) continue;
    faults.push_back({{.item = flag},
                      "needs all nodes in one process, which --reading sharded avoids",
                      "leave one of them out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// Refuses outputs of cone's networks on ranks.
void refuse_networks_on_ranks(const EvaluateFlags& flags) {
  if (!flags.engine.is_distributed()) return;
  std::vector<Fault> faults;
  for (const auto& [flag, file] : flags.explanations.outputs()) {
    if (file.empty()) continue;
    faults.push_back({{.item = flag},
                      "is about cone's networks, which --engine petsc does not have",
                      "leave one of them out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

}  // namespace

void check_evaluate_flags(const CLI::App& command, const EvaluateFlags& flags) {
  if (!flags.model.empty()) refuse_options_of_model(flags_given(command));
  refuse_idle_plan(flags_given(command), flags.options.plan.protocol);
  check_budget_flags(command, flags);
  check_report_flags(flags);
  flags.engine.check(command);
  refuse_rows_of_nodes(flags);
  refuse_networks_on_ranks(flags);
  validate(flags.options);
  refuse_beside_repeats(flags);
}

Outputs open_outputs(const EvaluateFlags& flags) {
  std::vector<OutputFile> files = flags.explanations.outputs();
  files.push_back({"--nodes", flags.nodes});
  files.push_back({"--budget-curve", flags.budget_curve});
  files.push_back({"--report", flags.report});
  files.push_back({"--json", flags.json});
  std::vector<std::string> inputs = flags.policies;
  inputs.insert(inputs.end(), {flags.data, flags.model, flags.table.edges, *flags.options_file});
  return {files, inputs};
}

void refuse_idle_explanations(const EvaluateFlags& flags, const Dataset& data) {
  std::vector<Fault> faults;
  for (const auto& [flag, file] : flags.explanations.outputs()) {
    if (file.empty() || uses_cone(data, flags.options)) continue;
    faults.push_back({{.item = flag},
                      "has no effect with estimators that do not use cone's networks",
                      "add cone to --estimators, or leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

}  // namespace cone::app
