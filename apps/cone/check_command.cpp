#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/output.hpp"
#include "cone/policy.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kCheckFooter =
    R"(Shows how the data is read: the columns, their types and how they will be scaled, the arms
and the covariates in which they differ, the network, and possible mistakes (lines with !). Nothing
is estimated. Takes the flags of cone evaluate that say how to read the table. The exit status is 0
when the data can be read as logged data and 2 when not, with every reason. Problems that cone
evaluate would refuse in readable data, such as an arm with fewer units than folds, are lines with !
that name the flags that help. The arm labels that it prints are those for always:LABEL and --cost
LABEL=NUMBER of cone evaluate.

Examples:
  cone check survey.csv --treatment got_letter --outcome voted
  cone check survey.csv --treatment t --outcome y --ignore name,date --missing indicate
  cone check units.csv.gz --id unit --edges edges.csv --treatment t --outcome y
  cone check mails.csv --treatment sent --control nothing --outcome bought
  cone check shop/ --policy shop/policy.csv
  cone check shop/ --json - | jq '.columns[] | select(.kind == "category")')";

struct CheckFlags {
  std::string data;
  LoadOptions table;
  std::vector<std::string> policies;
  std::string json;
  CommonFlags run;
};

int run_check(const CheckFlags& flags) {
  std::vector<std::string> inputs = flags.policies;
  inputs.insert(inputs.end(), {flags.data, flags.table.edges});
  Outputs outputs({{"--json", flags.json}}, inputs);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(
      {.seed = flags.run.seed, .threads = flags.run.threads, .progress = &progress});
  const LoadedData data = load_named(context, flags.data, flags.table);
  if (!data.observed.has_log()) {
    throw Error(ErrorCode::kData,
                {{.file = flags.data},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  const DataReport report =
      report_data(data, resolve_policies(context, data.observed, flags.policies));
  progress.clear();
  outputs.print_answer(
      flags.json, [&] { return dump_json(to_json(report)); },
      [&] { return data_report_text(report); });
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_check_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = root.add_subcommand("check", "Show how the data is read, without estimating");
  command->footer(kCheckFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--policy", flags->policies, "Policy names or files to check as well");
  command->add_option("--json", flags->json, "Write the report to this file (JSON; - for stdout)")
      ->check(file_name);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  command->callback([flags, &chosen] { chosen = [flags] { return run_check(*flags); }; });
}

}  // namespace cone::app
