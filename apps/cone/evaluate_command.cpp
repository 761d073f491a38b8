#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/file.hpp"
#include "cone/base/stopwatch.hpp"
#include "cone/base/text.hpp"
#include "cone/experiment/evaluate.hpp"
#include "cone/policy/policy.hpp"
#include "cone/results/text_table.hpp"

#include "commands.hpp"
#include "flags.hpp"
#include "named_data.hpp"
#include "options_file_flag.hpp"
#include "plan_flags.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kFooter =
    R"(DATA is a folder with nodes.csv (id,treatment,outcome + feature columns), edges.csv
(source,target) and optional sparse features (features.npz or features.csv), or a .mat file,
or the word demo for a built-in simulated network with known truth.

Policies: treat-all, treat-none, uniform, random-weights:SEED, linear:FILE (feature,weight,
neighbour_weight lines), or a CSV file with a column id and one probability column a policy.

Examples:
  cone evaluate demo --policy treat-all treat-none random-weights:7
  cone evaluate shop/ --policy shop/policy.csv --estimators snips,dr_ridge
  cone evaluate shop/ --policy uniform --nuisances given      your own propensity, mu0, mu1
  cone evaluate shop/ --policy uniform --json - | jq '.policies[0].estimates'

How to read the table: utility is the mean outcome had the policy decided; "eff. nodes" is how
many equally weighted nodes the estimate rests on; a ! marks rows with a warning below. Intervals
hold sampling error only: they take nodes as independent and the features as all that matters, and
cannot know of confounders that were never measured.)";

struct EvaluateFlags {
  std::string data;
  std::vector<std::string> policies;
  std::string json;
  RunFlags run;
  EvaluateOptions options;
};

/// Fails before the work, not after it.
void check_output_folder(const std::string& file) {
  if (file.empty() || file == "-") return;
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (path_kind(folder) != PathKind::kFolder || path_kind(path) == PathKind::kFolder) {
    throw Error(ErrorCode::kUsage, {{.item = "--json"},
                                    fmt::format("cannot write {}", printable(file)),
                                    "name a file in a folder that exists"});
  }
}

void print_summary(const EvaluationRecord& record) {
  const DataSummary& data = record.data;
  std::cerr << fmt::format("{} nodes, {} edges, {} features, {} treated", grouped(data.num_nodes),
                           grouped(data.num_edges), grouped(data.num_features),
                           grouped(data.num_treated));
  const Diagnostics& d = record.diagnostics;
  if (d.num_evaluated_nodes != data.num_nodes) {
    std::cerr << fmt::format("; utility over {} test nodes", grouped(d.num_evaluated_nodes));
  }
  if (d.num_edges_merged + d.num_self_loops_dropped > 0) {
    std::cerr << fmt::format("; {} repeated edge lines merged, {} self loops dropped",
                             grouped(d.num_edges_merged), grouped(d.num_self_loops_dropped));
  }
  std::cerr << "\n\n";
}

int run_evaluate(const EvaluateFlags& flags) {
  validate(flags.options);
  check_output_folder(flags.json);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(flags.run.seed, flags.run.threads, &progress);

  const Stopwatch watch;
  const LoadedData data = load_named(context, flags.data);
  const double load_seconds = watch.seconds();
  const auto policies = evaluate_policies(context, data.observed, flags.policies);

  Evaluation evaluation = evaluate(context, data, policies, flags.options);
  progress.clear();
  if (evaluation.status == RunStatus::kCancelled) throw Cancelled();
  EvaluationRecord& record = evaluation.record;
  record.config["data"] = flags.data;
  record.timing_seconds["load"] = load_seconds;
  record.timing_seconds["total"] = watch.seconds();

  if (flags.json == "-") {
    std::cout << to_json(record).dump(2) << std::endl;
    return kSuccess;
  }
  if (!flags.run.quiet) print_summary(record);
  std::cout << evaluation_text(record) << std::flush;
  if (!flags.json.empty()) {
    write_atomically(flags.json,
                     [&](std::ostream& out) { out << to_json(record).dump(2) << '\n'; });
  }
  return kSuccess;
}

}  // namespace

void add_evaluate_command(CLI::App& root, Run& run) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* command = root.add_subcommand(
      "evaluate", "Estimate what policies would have achieved, with intervals and warnings");
  command->footer(kFooter);
  command->add_option("DATA", flags->data, "Folder, .mat file, or demo")->required();
  command->add_option("--policy", flags->policies, "Policy names or files, one or more")
      ->required();
  command->add_option("--json", flags->json, "Write the full record here (- for stdout)");
  flags->run.bind(*command);
  bind_flags(*command, flags->options, "Estimation");
  bind_options_file(*command, flags->options.cone);
  command->callback([flags, command, &run] {
    run = [flags, command] {
      refuse_idle_plan_flags(*command, flags->options.plan.protocol);
      return run_evaluate(*flags);
    };
  });
}

}  // namespace cone::app
