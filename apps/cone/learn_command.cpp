#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/learn_policy.hpp"
#include "cone/options.hpp"
#include "cone/output.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "engine.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kLearnFooter =
    R"(Learns a treatment rule: the decision tree of depth at most three that maximises the mean
doubly robust score (a policy tree), or minimises it with --lower-is-better. DATA is what cone
evaluate takes. Splits are "column <= value", on features, the degree, and features averaged over
neighbours. Depths 1 and 2 are exact; at depth 3 only the first split is a heuristic.

The value is cross-fitted, so the search does not bias it. Each fold is assigned by a tree that was learnt from the
other folds, and scored by models that never saw it. The value that cone evaluate gives to rule.csv
on the same data is in-sample and too optimistic, and so, by outcome models alone, is that of the
labels of --out-of-fold: cone evaluate says so and gives no verdict. It does for these labels with
--estimators dr_ridge.

--out has one row per node, id and label, as cone evaluate --policy reads it. The tree, its value
and comparisons with simpler policies go to stdout; --picture draws the tree, --json has everything.

Examples:
  cone learn shop/ --out rule.csv
  cone learn shop/ --out rule.csv --depth 1 --split-on own       splits on own features only
  cone learn shop/ --out rule.csv --budget 0.3 --picture tree.svg
  cone learn mails.csv --treatment sent --outcome bought --cost email=0.1 --cost sms=0.4 \
    --out rule.csv
  cone learn trial/ --out rule.csv --propensities given           a randomised experiment)";

struct LearnFlags {
  std::string data;
  LoadOptions table;
  std::string out;
  std::string json;
  std::string out_of_fold;
  std::string picture;
  CsvCells cells = CsvCells::kExact;
  CommonFlags run;
  EngineFlags engine;
  LearnPolicyOptions options;
};

int run_learn(LearnFlags flags) {
  validate(flags.options);
  const std::unique_ptr<Engine> engine = start_engine(flags.engine);
  Outputs outputs = engine->open_outputs([&] {
    return Outputs({{"--out", flags.out},
                    {"--out-of-fold", flags.out_of_fold},
                    {"--picture", flags.picture},
                    {"--json", flags.json}},
                   {flags.data, flags.table.edges});
  });
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet || !engine->is_root());
  const Context context = engine->make_context(flags.run, progress);
  flags.table.kept = cost_columns(flags.options.cost);
  EvaluationInput input;
  LearntPolicy policy;
  engine->run([&] {
    input = engine->load(context, {flags.data, flags.table, {}});
    const Dataset& whole = engine->whole(input).data.observed;
    engine->run_on_root([&] { progress.announce(expected_costs(context, whole, flags.options)); });
    policy = learn_policy(context, whole, flags.options, &input.data.observed);
  });
  if (!engine->is_root()) return kSuccess;
  const LoadedData& data = engine->whole(input).data;
  add_loader_notes(data, flags.options, policy);
  progress.finish();
  progress.clear();
  if (!flags.run.quiet) print_notes(data);
  outputs.print_answer(
      flags.json,
      [&] {
        return dump_json(learnt_policy_json(data.observed, policy, flags.options, flags.run.seed));
      },
      [&] { return learnt_policy_text(policy, flags.options); });
  const bool is_written = outputs.write(flags.out, [&](std::ostream& out) {
    write_policy(context, out, data.observed, "learnt", policy.arm, /*out_of_fold=*/false,
                 flags.cells);
  });
  outputs.write(flags.out_of_fold, [&](std::ostream& out) {
    write_policy(context, out, data.observed, "learnt_out_of_fold", policy.out_of_fold_arm,
                 /*out_of_fold=*/true, flags.cells);
  });
  outputs.write(flags.picture, [&](std::ostream& out) { out << rule_svg(policy); });
  progress.clear();
  if (is_written && !flags.run.quiet) {
    std::cerr << fmt::format("wrote {}: {} nodes\n", printable(flags.out),
                             grouped(data.observed.num_nodes()));
  }
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_learn_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<LearnFlags>();
  CLI::App* command =
      root.add_subcommand("learn", "Learn a treatment rule (policy tree) and estimate its value");
  command->footer(kLearnFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command
      ->add_option("--out", flags->out,
                   "CSV file to write: the arm that the rule assigns to every node")
      ->required()
      ->check(file_name);
  command
      ->add_option("--out-of-fold", flags->out_of_fold,
                   "CSV file to write: the arm that the tree learnt without the node's fold "
                   "assigns to it, for cone evaluate --estimators dr_ridge")
      ->check(file_name);
  command->add_option("--picture", flags->picture, "Write a plot of the tree to this file (SVG)")
      ->check(file_name);
  command
      ->add_option("--json", flags->json,
                   "Write the tree and its estimates to this file (JSON; - for stdout)")
      ->check(file_name);
  add_spreadsheet_flag(*command, flags->cells);
  flags->engine.bind(*command, /*can_read_sharded=*/false);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Policy tree");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_models(flags_given(*command), flags->options);
      flags->engine.check(*command);
      return run_learn(*flags);
    };
  });
}

}  // namespace cone::app
