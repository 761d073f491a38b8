#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "explanation_flags.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "options_file_flag.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kFitFooter =
    R"(Fits the slow parts once: cone's networks and the variances of the network ridge. Any number
of policies can then be evaluated without training. DATA is what cone evaluate takes. The model
belongs to this data: it is cross-fitted, so that each fold's networks never saw the treatments and
outcomes of the nodes they score; with other data that would not hold.

--parts network_ridge skips the networks, which take the longest. For large data they are skipped
unless --parts names them.

The table of the network ridge has the share of every group in the outcome variance. The table of
the networks has one row per fold, with losses on its validation nodes. First those of the
representations: outcome (relative to the variance of the training outcomes: 1 is no better than the
mean) and treatment (cross-entropy: for two arms 0.69 is chance level). Then those of the outcome
networks and of the propensity model that the estimators use.

--attention writes rows source,target,treatment_head1..,outcome_head1..: the attention weight of the
target for the source, in the fold that scores the source. In each column the weights of a source
sum to 1.
--embeddings writes a NumPy array with one row per node, in the order of the data.

Examples:
  cone fit shop/ --out shop.model
  cone fit shop/ --out shop.model --parts network_ridge      in seconds
  cone evaluate shop/ --model shop.model --policy p.csv
  cone fit shop/ --out shop.model --attention attention.csv --embeddings z.npy
  cone fit shop/ --out shop.model --options tuned/best.json       tuned by cone tune
  cone fit demo --out quick.model --folds 2 --epochs 50)";

struct FitFlags {
  std::string data;
  LoadOptions table;
  std::string out;
  ExplanationFlags explanations;
  CommonFlags run;
  ModelOptions options;
  std::shared_ptr<const std::string> options_file;
};

void print_file(const std::string& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (!failure) std::cerr << fmt::format("wrote {}: {} bytes\n", printable(file), grouped(size));
}

/// Files that describe networks need networks.
void refuse_explanations_without_networks(const FitFlags& flags) {
  const std::vector<std::string>& parts = flags.options.parts;
  if (parts.empty() || std::find(parts.begin(), parts.end(), "networks") != parts.end()) return;
  std::vector<Fault> faults;
  for (const auto& [flag, file] : flags.explanations.outputs()) {
    if (file.empty()) continue;
    faults.push_back({{.item = flag},
                      "describes networks, and --parts leaves them out",
                      "leave it out, or add networks to --parts"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

int run_fit(FitFlags flags) {
  validate(flags.options);
  std::vector<OutputFile> files = flags.explanations.outputs();
  files.push_back({"--out", flags.out});
  Outputs outputs(files, {flags.data, flags.table.edges, *flags.options_file});
  flags.explanations.check(flags.options.cone);
  refuse_explanations_without_networks(flags);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(
      {.seed = flags.run.seed, .threads = flags.run.threads, .progress = &progress});

  const LoadedData data = load_named(context, flags.data, flags.table);
  const bool asks_for_networks = flags.explanations.any() && flags.options.parts.empty();
  if (asks_for_networks) flags.options.parts = {"networks", "network_ridge"};
  progress.announce(expected_costs(context, data.observed, flags.options));
  const Model model = fit_model(context, data.observed, flags.options);
  const bool has_networks = describe_model(*model).has_networks;
  progress.finish();
  // Training takes the longest: the model is written before anything is printed.
  const bool is_written =
      outputs.write(flags.out, [&](std::ostream& out) { write_model(out, *model); });
  progress.clear();
  if (!flags.run.quiet) {
    print_notes(data);
    if (!has_networks && flags.options.parts.empty()) {
      std::cerr << fmt::format(
          "note: the networks were left out, as {}; --parts networks,network_ridge fits them too\n",
          why_without_networks(data.observed));
    }
    if (is_written) print_file(flags.out);
  }
  std::cout << model_text(*model) << std::flush;
  if (has_networks) flags.explanations.write(context, data.observed, *model, outputs);
  progress.clear();
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_fit_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* command = root.add_subcommand(
      "fit", "Fit the networks and the network ridge and save them as a model file");
  command->footer(kFitFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--out", flags->out, "Model file to write")->required()->check(file_name);
  flags->explanations.bind(*command);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Plan");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge");
  regroup_flags<ConeOptions>(*command, "Networks");
  flags->options_file = bind_options_file(*command, flags->options.cone);
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_plan(flags_given(*command), flags->options.plan.protocol);
      refuse_flags_of_parts(*command, flags->options.parts);
      return run_fit(*flags);
    };
  });
}

}  // namespace cone::app
