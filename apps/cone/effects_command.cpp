#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/effects.hpp"
#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"
#include "cone/output.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "engine.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kEffectsFooter =
    R"(Predicts with the network ridge, for every node, the potential outcome under every arm and
the effect of every arm against the control arm, with standard deviations and a decomposition. DATA
is what cone evaluate takes. Predictions are cross-fitted: a node's row comes from a fit that saw
neither its outcome nor its treatment.

Columns, for arms called 0 and 1 (with other labels mu:LABEL, effect:LABEL and so on):
  id               the nodes, in the order of the data
  mu0, mu1         predicted outcome under each arm
  effect           mu1 - mu0, shrunk towards its mean (--effect-shrinkage)
  effect_sd        its standard deviation under the model
  mu_sd0, mu_sd1   the standard deviation of each predicted outcome
  part1:NAME       contribution of a group of the model to mu1; the parts of an arm sum to its mu.
                   fixed holds the intercept of the arm and the fixed effect of the degree.
The parts of mu1 - mu0 are part1:NAME - part0:NAME.

Effects are shrunk as far as the data say that differences between them are noise. The summary has
the calibration slope of every arm: the slope of effects on predicted effects, out of fold. At 1
they are reported as predicted, at 0 all are nearly the mean effect, which does not change.
--effect-shrinkage none reports mu1 - mu0.

Standard deviations assume a correct model without unmeasured confounding. For large data they are
computed from random draws (--draws). The summary counts effects beyond two standard deviations.
Predictions of single nodes are best without undersmoothing, which is the default here; cone
evaluate undersmooths for averages over nodes, so its values differ slightly.

Examples:
  cone effects shop/ --out effects.csv
  cone effects survey.csv --treatment letter --outcome voted --out effects.csv
  cone effects shop/ --out effects.csv --model shop.model       variances learnt by cone fit
  cone effects shop/ --out effects.csv --undersmoothing 0.1     the predictions of network_dm
  cone effects shop/ --out effects.csv --effect-shrinkage none  effect is mu1 - mu0)";

struct EffectsFlags {
  std::string data;
  LoadOptions table;
  std::string out;
  CsvCells cells = CsvCells::kExact;
  CommonFlags run;
  EngineFlags engine;
  std::string model;
  EffectOptions options;
};

/// The model that --model names, which holds a network ridge; folds, options and seed become the
/// model's. Undersmoothing, solver and draws concern the predictions and stay as given.
Model read_ridge(Engine& engine, EffectsFlags& flags) {
  if (flags.model.empty()) return nullptr;
  Model model = load_model(engine.read_file(flags.model), flags.model);
  const ModelFacts facts = describe_model(*model);
  if (!facts.network_ridge || facts.plan.protocol != Protocol::kCrossFit) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--model"},
                 facts.network_ridge
                     ? "was fitted with --protocol split, which predicts only the test nodes"
                     : "holds no network ridge",
                 "fit a model with cone fit --parts network_ridge"});
  }
  NetworkRidgeOptions options = *facts.network_ridge;
  options.undersmoothing = flags.options.network_ridge.undersmoothing;
  options.ridge_solver = flags.options.network_ridge.ridge_solver;
  flags.options.network_ridge = std::move(options);
  flags.options.folds = facts.plan.folds;
  flags.run.seed = facts.seed;
  return model;
}

/// Refuses flags whose values the model fixes.
void refuse_fixed_flags(const CLI::App& command) {
  std::vector<Fault> faults;
  for (const char* flag : {"--seed", "--folds", "--ridge-groups", "--ridge-noise",
                           "--ridge-variances", "--ridge-criterion"}) {
    if (command.count(flag) == 0) continue;
    faults.push_back({{.item = flag}, "is fixed by the model", "leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

int run_effects(EffectsFlags flags) {
  validate(flags.options);
  const std::unique_ptr<Engine> engine = start_engine(flags.engine);
  Outputs outputs = engine->open_outputs([&] {
    return Outputs({{"--out", flags.out}}, {flags.data, flags.table.edges, flags.model});
  });
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet || !engine->is_root());
  Model model;
  engine->run([&] { model = read_ridge(*engine, flags); });
  const Context context = engine->make_context(flags.run, progress);
  EvaluationInput input;
  NodeEffects effects;
  engine->run([&] {
    input = engine->load(context, {flags.data, flags.table, {}});
    const Dataset& observed = input.data.observed;
    if (model) require_model_of(*model, flags.model, observed, flags.data);
    progress.announce(expected_costs(context, observed, flags.options, model.get()));
    effects =
        gather_effects(observed, predict_effects(context, observed, flags.options, model.get()));
  });
  if (!engine->is_root()) return kSuccess;
  const LoadedData& data = engine->whole(input).data;
  std::vector<NodeIndex> nodes(data.observed.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const std::vector<double> units = take_sample(data.observed, nodes).weight;
  progress.finish();
  progress.clear();
  if (!flags.run.quiet) print_notes(data);
  std::cout << effects_text(data.observed.arms, effects, units) << std::flush;
  const bool is_written = outputs.write(flags.out, [&](std::ostream& out) {
    write_effects(context, out, data.observed, effects, flags.cells);
  });
  progress.clear();
  if (is_written && !flags.run.quiet) {
    std::cerr << fmt::format("wrote {}: {} nodes\n", printable(flags.out),
                             grouped(data.observed.num_nodes()));
  }
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_effects_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<EffectsFlags>();
  CLI::App* command = root.add_subcommand(
      "effects", "Predict potential outcomes and treatment effects of every node");
  command->footer(kEffectsFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--out", flags->out, "CSV file to write")->required()->check(file_name);
  command
      ->add_option("--model", flags->model,
                   "Use the variances in this model file, written by cone fit")
      ->check(file_name);
  add_spreadsheet_flag(*command, flags->cells);
  flags->engine.bind(*command, /*can_read_sharded=*/false);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Network ridge");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      if (!flags->model.empty()) refuse_fixed_flags(*command);
      flags->engine.check(*command);
      return run_effects(*flags);
    };
  });
}

}  // namespace cone::app
