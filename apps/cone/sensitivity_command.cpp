#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/output.hpp"
#include "cone/policy.hpp"
#include "cone/sensitivity.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "engine.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kSensitivityFooter =
    R"(Estimates from logged data assume no unmeasured confounding: every common cause of treatment
and outcome is among the features or revealed by the network. This command says how far the
assumption may fail before a conclusion changes. DATA and policies are what cone evaluate takes.

It prints, for every policy,
  bounds under the marginal sensitivity model (Tan 2006; Dorn and Guo 2023): an unmeasured
    confounder changes the odds of treatment of comparable units by a factor of at most Lambda; and
    the Lambda at which the conclusion changes
  bounds on the omitted-variable bias (Cinelli and Hazlett 2020; Chernozhukov et al. 2022): the
    partial R2 with outcome and treatment at which a confounder changes the conclusion
  benchmarks: the network, the count features and every column are left out in turn to measure their
    strength as confounders, and the bias of an unmeasured confounder of that strength

--against logged (the default) analyses the difference from the logged policy, whose value is known.
--against none analyses the value itself (give a --threshold); any other word names a policy.

Examples:
  cone sensitivity shop/ --policy treat-all
  cone sensitivity shop/ --policy treat-all p.csv --against treat-none --json sensitivity.json
  cone sensitivity shop/ --policy uniform --against none --threshold 2.5
  cone sensitivity survey.csv --policy treat-all --benchmarks network,age,income)";

struct SensitivityFlags {
  std::string data;
  LoadOptions table;
  std::vector<std::string> policies;
  std::string against = "logged";
  std::string json;
  CommonFlags run;
  EngineFlags engine;
  SensitivityOptions options;
};

Reference reference_of(const std::string& against) {
  if (against == "logged") return Reference::kLogged;
  return against == "none" ? Reference::kNothing : Reference::kPolicy;
}

SensitivityRequest request_of(const SensitivityFlags& flags) {
  return {flags.options, flags.policies, flags.against, flags.run.seed, flags.data, flags.table};
}

int run_sensitivity(const SensitivityFlags& flags) {
  validate(flags.options);
  const std::unique_ptr<Engine> engine = start_engine(flags.engine);
  std::vector<std::string> inputs = flags.policies;
  inputs.insert(inputs.end(), {flags.data, flags.table.edges, flags.against});
  Outputs outputs = engine->open_outputs([&] { return Outputs({{"--json", flags.json}}, inputs); });
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet || !engine->is_root());
  const Context context = engine->make_context(flags.run, progress);
  const Reference reference = reference_of(flags.against);
  EvaluationInput input;
  SensitivityReport report;
  engine->run([&] {
    InputWords words{flags.data, flags.table, flags.policies};
    if (reference == Reference::kPolicy) words.against = flags.against;
    input = engine->load(context, words);
    const LoadedData& whole = engine->whole(input).data;
    std::span<const PolicyOnData> policies = engine->whole(input).policies;
    const PolicyOnData* against = nullptr;
    if (reference == Reference::kPolicy && !policies.empty()) {
      against = &policies.back();
      policies = policies.first(policies.size() - 1);
    }
    engine->run_on_root(
        [&] { progress.announce(expected_costs(context, whole, flags.options, policies.size())); });
    report = analyse_sensitivity(context, whole, policies, reference, against, flags.options,
                                 &input.data.observed);
  });
  if (!engine->is_root()) return kSuccess;
  const LoadedData& data = engine->whole(input).data;
  progress.clear();
  if (!flags.run.quiet && flags.json != "-") print_notes(data);
  outputs.print_answer(
      flags.json,
      [&] {
        return dump_json(to_json(report, to_json(request_of(flags)), data.observed.checksum()));
      },
      [&] { return sensitivity_text(report); });
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_sensitivity_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<SensitivityFlags>();
  CLI::App* command = root.add_subcommand(
      "sensitivity",
      "Sensitivity analysis: how strong unmeasured confounding must be to change a conclusion");
  command->footer(kSensitivityFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--policy", flags->policies, "Policy names or files, one or more")
      ->required();
  command
      ->add_option("--against", flags->against,
                   "Compare with the logged policy (logged), with nothing (none), or with a policy")
      ->check(file_name)
      ->capture_default_str();
  command
      ->add_option("--json", flags->json, "Write the full record to this file (JSON; - for stdout)")
      ->check(file_name);
  flags->engine.bind(*command, /*can_read_sharded=*/false);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Sensitivity");
  regroup_flags<NuisanceOptions>(*command, "Propensities");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      flags->engine.check(*command);
      return run_sensitivity(*flags);
    };
  });
}

}  // namespace cone::app
