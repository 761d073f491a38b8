#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cone/simulate.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kSimulateFooter =
    R"(Writes a folder that cone evaluate reads, with the potential outcomes of every node as the
truth (y0 and y1, or y:0, y:1, y:2, ... for --arms 3 and more), topics.npy where nodes have topics,
and manifest.json with every option, the centroids, the checksum and the list of the files. An
earlier simulation in the folder is replaced, unless you changed its files; other files in the
folder stay.

Worlds: hidden_confounding (the paper's), equal_edge_weights, weak_overlap, heterogeneous_effects,
randomised_log, binary_outcomes, nonlinear (outcome and treatment are non-linear functions of five
observed numeric features, columns of nodes.csv), observed_confounding (such features and their sums
over neighbours determine both; no unmeasured confounding), dependent_noise (noise is correlated
between neighbours), individual_effects (the simulation of Guo, Li and Liu, WSDM 2020, with --kappa1
10 --noise 1).

These worlds have their own network, numeric features and coefficients, and take no option but
--simulation: blocks (a confounder along communities), blocks5 (five arms), ring, thin,
half_isolated, neighbour_maximum, many_columns, exponential, few_conversions, villages (evaluate it
with --cluster cluster). They are cases in which intervals for sampling error alone fail.

Examples:
  cone simulate --out small --nodes 500 --mean-degree 12
  cone simulate --network BlogCatalog.mat --kappa2 2 --simulation 3 --seed 1 --out blog
  cone simulate --out three --nodes 500 --mean-degree 12 --arms 3
  cone simulate --out curves --nodes 1000 --world nonlinear --mean-degree 0   no edges
  cone simulate --out near --nodes 1000 --layout geometric --mean-degree 15 --world dependent_noise
  cone simulate --out blocks --world blocks --simulation 3
  cone simulate --nodes 1000000 --mean-degree 50 --words-per-node 20 --out large
  cone evaluate small --policy treat-all random-weights:1)";

struct SimulateFlags {
  std::string out;
  CommonFlags run;
  SimulationOptions options;
};

void print_summary(const std::string& folder, const nlohmann::ordered_json& manifest) {
  const auto& data = manifest["data"];
  const auto& structure = manifest["structure"];
  std::string arms = grouped(data["num_treated"]) + " treated";
  if (data["arms"].size() > 2) {
    arms = "by arm";
    for (const auto& arm : data["arms"]) {
      arms += fmt::format(" {}: {}", arm["label"].get<std::string>(), grouped(arm["num_nodes"]));
    }
  }
  std::cerr << fmt::format("wrote {}: {} nodes, {} edges, {} features, {}\n", folder,
                           grouped(data["num_nodes"]), grouped(data["num_edges"]),
                           grouped(data["num_features"]), arms);
  std::string line =
      sentence("mean degree {:.2f}, largest {}", structure["mean_degree"].get<double>(),
               grouped(structure["max_degree"]));
  for (const char* name : {"degree_exponent", "clustering", "homophily", "topic_correlation"}) {
    // A network may be too small to have it.
    if (!structure.contains(name) || !std::isfinite(structure[name].get<double>())) continue;
    std::string label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    line += sentence(", {} {:.3f}", label, structure[name].get<double>());
  }
  std::cerr << line << '\n';
}

int run_simulate(const SimulateFlags& flags) {
  validate(flags.options);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(
      {.seed = flags.run.seed, .threads = flags.run.threads, .progress = &progress});
  const nlohmann::ordered_json manifest = write_simulation(context, flags.options, flags.out);
  progress.clear();
  if (!flags.run.quiet) print_summary(flags.out, manifest);
  return kSuccess;
}

}  // namespace

void add_simulate_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<SimulateFlags>();
  CLI::App* command = root.add_subcommand(
      "simulate", "Simulate a dataset with known truth, on a real or a generated network");
  command->footer(kSimulateFooter);
  command->add_option("--out", flags->out, "Folder to write")->required()->check(file_name);
  flags->run.bind(*command);
  bind_flags(*command, flags->options, "Simulation");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_simulation(flags_given(*command), flags->options);
      return run_simulate(*flags);
    };
  });
}

}  // namespace cone::app
