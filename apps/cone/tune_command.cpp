#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "study/run_units.hpp"
#include "study/tune.hpp"
#include "terminal.hpp"
#include "unit_flags.hpp"

namespace cone::app {
namespace {

constexpr const char* kTuneFooter =
    R"(Tunes the hyperparameters of cone's networks by grid search: every combination of the given
values is ranked by the loss of the outcome networks and of the propensity model on validation
nodes. The truth of simulated data is not used. Options that are not named keep the values shown in
the help.

Tuned networks predict logged outcomes and treatments better. That helps where the defaults learn
nothing. In our study it did not make the policy value more accurate (docs/results.md): compare the
estimates with and without the file before you trust either.

Writes OUT/best.json, which cone evaluate --options reads, and one file per combination and fold
in OUT/units. The same command resumes where an earlier one was interrupted, however it ended. With
other values in the same folder it computes only what is new.

Examples:
  cone tune shop/ --out tuned
  cone tune shop/ --out tuned --gamma 0.01,0.1,1 --zeta 0.0001,0.01 --dropout 0
  cone tune shop/ --out tuned --hidden 32,64,128 --tune-folds 3
  cone evaluate shop/ --policy policy.csv --estimators cone --options tuned/best.json)";

struct TuneFlags {
  std::string data;
  LoadOptions table;
  UnitFlags units;
  CommonFlags run;
  TuneOptions options;
  std::map<std::string, std::string> values;  ///< by option: comma-separated, as given
};

/// An option visitor that declares one flag per field, for a list of values.
class GridBinder {
 public:
  GridBinder(CLI::App& command, TuneFlags& flags) : command_(command), flags_(flags) {
    for (const GridAxis& axis : default_tuning_grid()) {
      flags.values[axis.name] = option_text(axis.values);
    }
  }

  template <class T>
  void operator()(std::string_view name, const T& value, std::string_view help,
                  const Range& /*range*/ = {}) {
    std::string& text =
        flags_.values.try_emplace(std::string(name), option_text(value)).first->second;
    command_.add_option(flag_name(name), text, std::string(help))
        ->type_name("LIST")
        ->capture_default_str()
        ->group("Values to try, separated by commas");
  }

 private:
  CLI::App& command_;
  TuneFlags& flags_;
};

GridAxis axis_of(std::string_view name, std::string_view list) {
  GridAxis axis{.name = std::string(name)};
  while (true) {
    const std::size_t comma = list.find(',');
    axis.values.emplace_back(trimmed(list.substr(0, comma)));
    if (comma == list.npos) return axis;
    list.remove_prefix(comma + 1);
  }
}

std::vector<ConeOptions> grid_of(const TuneFlags& flags) {
  const ConeOptions base;
  std::vector<GridAxis> axes;
  ConeOptions::visit(base,
                     [&](std::string_view name, const auto&, std::string_view, const Range& = {}) {
                       axes.push_back(axis_of(name, flags.values.at(std::string(name))));
                     });
  return expand_grid(base, axes);
}

int run_tune(const TuneFlags& flags) {
  validate(flags.options);
  const std::vector<ConeOptions> grid = grid_of(flags);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(
      {.seed = flags.run.seed, .threads = flags.run.threads, .progress = &progress});
  const LoadedData loaded = load_named(context, flags.data, flags.table);
  const Dataset& data = loaded.observed;  // without the truth of a simulation
  UnitWork work = flags.units.work();
  const std::string best = (std::filesystem::path(flags.units.out) / "best.json").string();
  Outputs outputs({{"--out", best}}, {flags.data, flags.table.edges});
  work.when_incomplete = [&] { remove_old_conclusion(best, kOptionFileSchema, "tuning"); };
  const Tuning tuning = tune(context, data, grid, flags.options, work);
  progress.clear();
  const bool is_written = outputs.write(
      best, [&](std::ostream& out) { out << dump_json(best_options_json(tuning)) << '\n'; });
  if (!flags.run.quiet) {
    print_notes(loaded);
    print_unit_remarks(tuning.units);
  }
  std::cout << tuning_text(tuning) << std::flush;
  if (is_written && !flags.run.quiet) std::cerr << fmt::format("wrote {}\n", printable(best));
  outputs.throw_failures();
  return kSuccess;
}

}  // namespace

void add_tune_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<TuneFlags>();
  CLI::App* command = root.add_subcommand(
      "tune", "Tune cone's networks by validation loss; can be interrupted and resumed");
  command->footer(kTuneFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  flags->units.bind(*command, "interrupted tuning is resumed");
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  const ConeOptions defaults;
  ConeOptions::visit(defaults, GridBinder(*command, *flags));
  bind_flags(*command, flags->options, "Folds");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_plan(flags_given(*command), flags->options.plan.protocol);
      return run_tune(*flags);
    };
  });
}

}  // namespace cone::app
