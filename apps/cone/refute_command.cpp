#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "engine.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "study/refute.hpp"
#include "terminal.hpp"
#include "unit_flags.hpp"

namespace cone::app {
namespace {

constexpr const char* kRefuteFooter =
    R"(Repeats the recommended estimate (network_dm, as a difference from the logged policy) on
modified data and checks the results:
  placebo   treatments are permuted within deciles of the propensity score, so that they have no
            effect: the mean placebo estimate must not exceed two of its standard errors, or half
            the standard error of the original estimate
  feature   a random feature is added: must not move the estimate by half a standard error
  subset    a random tenth of the units is left out: must not move it by half a standard error for
            the population
  seeds     other folds: must not move it by half a standard error
  bootstrap the predictions are taken as the truth, outcomes are drawn around them with the noise of
            the data (for nodes, or with --bootstrap-by clusters for communities), and everything is
            refitted: the error must not exceed the standard error
Changes are root mean squares over the reruns (--draws).

A failed check shows a problem. Passed checks do not prove the estimate right: they do not detect
unmeasured confounding (cone sensitivity).

Writes OUT/refutation.json and one file per rerun in OUT/units. The same command resumes where an
earlier one was interrupted, however it ended.

Examples:
  cone refute shop/ --policy treat-all --out refuted
  cone refute shop/ --policy policy.csv --out refuted --checks placebo,seeds --draws 20)";

struct RefuteFlags {
  std::string data;
  LoadOptions table;
  std::vector<std::string> policies;
  UnitFlags units;
  CommonFlags run;
  EngineFlags engine;
  RefuteOptions options;
};

int run_refute(const RefuteFlags& flags) {
  validate(flags.options);
  const std::unique_ptr<Engine> engine = start_engine(flags.engine);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet || !engine->is_root());
  const Context context = engine->make_context(flags.run, progress);
  EvaluationInput whole;
  engine->run_on_root([&] {
    const Context alone = context.shared_by(Communicator::self());
    whole = load_input(alone, {flags.data, flags.table, flags.policies});
    progress.announce(expected_costs(context, whole.data.observed, flags.options),
                      "Ctrl-C keeps the reruns that are finished");
  });
  const std::string record = (std::filesystem::path(flags.units.out) / "refutation.json").string();
  std::optional<UnitWork> work;
  Outputs outputs = engine->open_outputs([&] {
    work = flags.units.work();
    work->when_incomplete = [&] { remove_old_conclusion(record, kRefutationSchema, "policies"); };
    std::vector<std::string> inputs = flags.policies;
    inputs.insert(inputs.end(), {flags.data, flags.table.edges});
    return Outputs({{"--out", record}}, inputs);
  });
  const auto distribute = [&](const EvaluationInput* data) { return engine->distribute(data); };
  Refutation refutation;
  engine->run([&] {
    if (engine->is_root()) {
      refutation =
          refute(context, whole.data.observed, whole.policies, flags.options, *work, distribute);
    } else {
      serve_refutation(context, flags.options, distribute);
    }
  });
  if (!engine->is_root()) return kSuccess;
  progress.clear();
  const bool is_written = outputs.write(
      record, [&](std::ostream& out) { out << dump_json(to_json(refutation)) << '\n'; });
  if (!flags.run.quiet) {
    print_notes(whole.data);
    print_unit_remarks(refutation.units);
  }
  std::cout << refutation_text(refutation) << std::flush;
  if (is_written && !flags.run.quiet) std::cerr << fmt::format("wrote {}\n", printable(record));
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_refute_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<RefuteFlags>();
  CLI::App* command = root.add_subcommand(
      "refute", "Refutation tests of an estimate by reruns; can be interrupted and resumed");
  command->footer(kRefuteFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--policy", flags->policies, "Policy names or files, one or more")
      ->required();
  flags->units.bind(*command, "interrupted reruns are resumed");
  flags->engine.bind(*command, /*can_read_sharded=*/false);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  command->get_option("--cluster")->group("");  // refused with a reason: not worth a line of help
  bind_flags(*command, flags->options, "Checks");
  regroup_flags<NuisanceOptions>(*command, "Propensities");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      flags->engine.check(*command);
      return run_refute(*flags);
    };
  });
}

}  // namespace cone::app
