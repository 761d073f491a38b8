#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/learn_policy.hpp"
#include "cone/options.hpp"

#include "base/text.hpp"
#include "commands.hpp"
#include "data/arm_costs.hpp"
#include "data_argument.hpp"
#include "evaluate/idle_options.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "options/json_text.hpp"
#include "outputs.hpp"
#include "results/policy_output.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kLearnFooter =
    R"(Learns who should get which arm: the decision tree of at most three questions with the best doubly
robust scores. DATA is what cone evaluate takes. Questions are "column <= value", about features, the
degree, and features averaged over neighbours. Depths 1 and 2 are exact; at depth 3 only the
first question is a heuristic.

The value is valid: each fifth of the units is decided by a tree that was learnt from the others,
by scores from models that never saw that fifth. The value that cone evaluate gives to rule.csv on
the same data is not: the rule was made for these very units. cone evaluate warns of that; evaluate
the labels of --out-of-fold instead.

--out holds one line per node, id and label, as cone evaluate --policy reads it. The tree, its value
and what it is compared with go to stdout; --picture draws the tree, --json has everything.

Examples:
  cone learn shop/ --out rule.csv
  cone learn shop/ --out rule.csv --depth 1 --split-on own       no question about neighbours
  cone learn shop/ --out rule.csv --budget 0.3 --picture tree.svg
  cone learn mails.csv --treatment sent --outcome bought --cost email=0.1 --cost sms=0.4 \
    --out rule.csv
  cone learn trial/ --out rule.csv --propensities given           a randomised log)";

struct LearnFlags {
  std::string data;
  LoadOptions table;
  std::string out;
  std::string json;
  std::string out_of_fold;
  std::string picture;
  CsvCells cells = CsvCells::kExact;
  CommonFlags run;
  LearnPolicyOptions options;
};

int run_learn(LearnFlags flags) {
  validate(flags.options);
  Outputs outputs({{"--out", flags.out},
                   {"--out-of-fold", flags.out_of_fold},
                   {"--picture", flags.picture},
                   {"--json", flags.json}},
                  {flags.data, flags.table.edges});
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(flags.run.seed, flags.run.threads, &progress);
  flags.table.kept = cost_columns(flags.options.cost);
  const LoadedData data = load_named(context, flags.data, flags.table);
  progress.announce(expected_costs(context, data.observed, flags.options));
  LearntPolicy policy = learn_policy(context, data.observed, flags.options);
  policy.warnings.insert(policy.warnings.begin(), data.doubts.begin(), data.doubts.end());
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
    write_policy(context, out, data.observed, "learnt", policy.arm, /*in_sample=*/true,
                 flags.cells);
  });
  outputs.write(flags.out_of_fold, [&](std::ostream& out) {
    write_policy(context, out, data.observed, "learnt_out_of_fold", policy.out_of_fold_arm,
                 /*in_sample=*/false, flags.cells);
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
      root.add_subcommand("learn", "Learn who should get which arm, and what that is worth");
  command->footer(kLearnFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--out", flags->out, "CSV file to write: who gets what")
      ->required()
      ->check(file_name);
  command
      ->add_option("--out-of-fold", flags->out_of_fold,
                   "CSV file to write: what every node gets from the tree that was learnt without "
                   "its fold, for cone evaluate")
      ->check(file_name);
  command->add_option("--picture", flags->picture, "Draw the tree into this SVG file")
      ->check(file_name);
  command->add_option("--json", flags->json, "Write tree and figures to this file (- for stdout)")
      ->check(file_name);
  add_spreadsheet_flag(*command, flags->cells);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "The table of nodes");
  bind_flags(*command, flags->options, "The rule and its value");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_models(flags_given(*command), flags->options);
      return run_learn(*flags);
    };
  });
}

}  // namespace cone::app
