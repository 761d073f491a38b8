#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/sensitivity.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "flags.hpp"
#include "options/json_text.hpp"
#include "outputs.hpp"
#include "results/sensitivity_output.hpp"
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
  SensitivityOptions options;
};

Reference reference_of(const std::string& against) {
  if (against == "logged") return Reference::kLogged;
  return against == "none" ? Reference::kNothing : Reference::kPolicy;
}

/// The one policy that --against names.
std::optional<PolicyOnData> resolve_against(const Context& context, const Dataset& data,
                                            const std::string& against) {
  if (reference_of(against) != Reference::kPolicy) return std::nullopt;
  std::vector<PolicyOnData> found = resolve_policies(context, data, std::vector{against});
  if (found.size() != 1) {
    throw Error(ErrorCode::kUsage, {{.item = "--against"},
                                    fmt::format("the file holds {} policies", found.size()),
                                    "name one policy, or a file with one column"});
  }
  return std::move(found.front());
}

SensitivityRequest request_of(const SensitivityFlags& flags) {
  return {flags.options, flags.policies, flags.against, flags.run.seed, flags.data, flags.table};
}

int run_sensitivity(const SensitivityFlags& flags) {
  validate(flags.options);
  std::vector<std::string> inputs = flags.policies;
  inputs.insert(inputs.end(), {flags.data, flags.table.edges, flags.against});
  Outputs outputs({{"--json", flags.json}}, inputs);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(flags.run.seed, flags.run.threads, &progress);
  const LoadedData data = load_named(context, flags.data, flags.table);
  const std::vector<PolicyOnData> policies =
      resolve_policies(context, data.observed, flags.policies);
  const std::optional<PolicyOnData> against =
      resolve_against(context, data.observed, flags.against);
  progress.announce(expected_costs(context, data, flags.options, policies.size()));
  const SensitivityReport report =
      analyse_sensitivity(context, data, policies, reference_of(flags.against),
                          against ? &*against : nullptr, flags.options);
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
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Sensitivity");
  regroup_flags<NuisanceOptions>(*command, "Propensities");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  command->callback([flags, &chosen] { chosen = [flags] { return run_sensitivity(*flags); }; });
}

}  // namespace cone::app
