#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "options/json_text.hpp"
#include "study/ablation.hpp"
#include "study/coverage.hpp"
#include "study/effects.hpp"
#include "study/figure2.hpp"
#include "study/table1.hpp"
#include "study/table2.hpp"
#include "study/utility_study.hpp"
#include "study/worlds.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kReproduceFooter =
    R"(table1    treated nodes, and nodes that gain from treatment, in the simulated logs
table2    RMSE and MAE of every method: networks x kappa2 x simulations x runs
figure2   RMSE and MAE of cone over gamma x zeta at kappa2 = 2
utility   RMSE of the utility over all nodes, share of intervals that hold the truth, and both
          beside a row that knows the topics: networks x kappa2 x simulations, three policies
worlds    RMSE of every default estimator in many worlds, real and synthetic, three policies; says
          where the network ridge does harm
effects   error of every node's effect (root PEHE) and of their mean, of every outcome model, on the
          log of Guo, Li and Liu (WSDM 2020), beside figures that others published; --simulations
          is the number of replicates
ablation  what each part of the network ridge buys: groups left out, noise, undersmoothing
coverage  how often intervals hold the truth, sampling and robust ones, in fourteen generated
          worlds (--data plays no part but must name something, demo will do)

Needs BlogCatalog.mat and Flickr.mat in the folder that --data names (or the environment variable
CONE_DATA_DIR); --data demo does the study on the built-in network instead. Prints the tables and
writes them as text, Markdown, CSV and JSON (figure2 also as heat maps, SVG).

All but table1 consist of independent units (one group of methods on one split or simulation). Each
is stored in OUT/units as soon as it is finished, so you can stop at any moment: the same command
goes on from there, and the tables come out the same. A unit that fails does not stop the others. It
is named, the exit status is 1, and --retry-failed tries it again.

Examples:
  cone reproduce table1 --data DIR --out study
  cone reproduce table2 --data DIR --out study --simulations 2 --runs 2        a quick look
  cone reproduce table2 --data DIR --out study
  cone reproduce figure2 --data DIR --out study
  cone reproduce table2 --data demo --out embedded
  cone reproduce utility --data demo --out embedded --simulations 2 --estimators naive,dm_ridge)";

constexpr int kFigureRuns = 1;

struct ReproduceFlags {
  std::string what;
  std::string data;
  std::string out;
  bool retry_failed = false;
  CommonFlags run;
  StudyOptions study;
  StudyRows rows;
  WorldsOptions worlds;
  CoverageOptions coverage;
};

/// A table in all its forms.
struct Output {
  std::string text, markdown, csv, json;
};

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

void write_output(const ReproduceFlags& flags, const Output& output) {
  const std::filesystem::path folder(flags.out);
  write_text(folder / (flags.what + ".txt"), output.text);
  write_text(folder / (flags.what + ".md"), output.markdown);
  write_text(folder / (flags.what + ".csv"), output.csv);
  if (!output.json.empty()) write_text(folder / (flags.what + ".json"), output.json);
  std::cout << output.text << std::flush;
}

/// What a user should know about the units, on stderr. Works for both kinds of result.
template <class Result>
int report_units(const Result& result, bool quiet) {
  for (const std::string& remark : result.remarks) std::cerr << "! " << remark << '\n';
  for (const std::string& failure : result.failures) std::cerr << "! failed: " << failure << '\n';
  if (!result.failures.empty()) {
    std::cerr << fmt::format("{} of {} units failed; --retry-failed tries them again\n",
                             grouped(result.failures.size()), grouped(result.num_units));
  }
  if (!quiet) {
    std::cerr << fmt::format("{} units, {} of them from earlier runs\n", grouped(result.num_units),
                             grouped(result.num_reused));
  }
  return result.failures.empty() ? kSuccess : kFailure;
}

/// The same for a study that keeps it apart from its results, with its cost.
int report_run(const ReproduceFlags& flags, const StudyRun& run) {
  if (!flags.run.quiet) std::cerr << timing_text(run) << '\n';
  return report_units(run, flags.run.quiet);
}

int reproduce_first_table(const Context& context, const ReproduceFlags& flags,
                          ConsoleProgress& progress) {
  const auto rows = reproduce_table1(
      context, load_study_networks(context, flags.data),
      {.simulations = flags.study.simulations, .normalisation = flags.study.normalisation});
  progress.clear();
  write_output(flags, {table1_text(rows), table1_markdown(rows), table1_csv(rows), ""});
  return kSuccess;
}

int reproduce_second_table(const Context& context, const ReproduceFlags& flags,
                           ConsoleProgress& progress) {
  const UnitStore store(flags.out);
  const Table2 table = reproduce_table2(context, load_study_networks(context, flags.data),
                                        flags.study, store, flags.retry_failed);
  progress.clear();
  write_output(flags, {table2_text(table), table2_markdown(table), table2_csv(table),
                       dump_json(table2_json(table)) + '\n'});
  const std::string timing = table2_timing_text(table);
  write_text(std::filesystem::path(flags.out) / "table2_timing.txt", timing);
  if (!flags.run.quiet) std::cerr << timing << '\n';
  return report_units(table, flags.run.quiet);
}

int reproduce_figure(const Context& context, const ReproduceFlags& flags,
                     ConsoleProgress& progress) {
  const UnitStore store(flags.out);
  const Figure2 figure = reproduce_figure2(context, load_study_networks(context, flags.data),
                                           flags.study, store, flags.retry_failed);
  progress.clear();
  write_output(flags, {figure2_text(figure), figure2_markdown(figure), figure2_csv(figure),
                       dump_json(figure2_json(figure)) + '\n'});
  write_text(std::filesystem::path(flags.out) / "figure2.svg", figure2_svg(figure));
  if (!flags.run.quiet) std::cerr << fmt::format("{:.1f} seconds of one core\n", figure.seconds);
  return report_units(figure, flags.run.quiet);
}

/// What every study of units does with its table: progress away, the table out, its units reported.
template <class Table>
int finish_study(const ReproduceFlags& flags, ConsoleProgress& progress, const Table& table,
                 const Output& output) {
  progress.clear();
  write_output(flags, output);
  return report_run(flags, table.run);
}

int reproduce_utilities(const Context& context, const ReproduceFlags& flags,
                        ConsoleProgress& progress) {
  const UtilityTable table =
      reproduce_utility(context, load_study_networks(context, flags.data), flags.study.simulations,
                        flags.rows.estimators, UnitStore(flags.out), flags.retry_failed);
  return finish_study(flags, progress, table,
                      {utility_text(table), utility_markdown(table), utility_csv(table),
                       dump_json(utility_json(table)) + '\n'});
}

int reproduce_all_worlds(const Context& context, const ReproduceFlags& flags,
                         ConsoleProgress& progress) {
  const UtilityTable table =
      reproduce_worlds(context, load_study_networks(context, flags.data),
                       generate_study_networks(context, flags.worlds), flags.study.simulations,
                       flags.rows.estimators, UnitStore(flags.out), flags.retry_failed);
  return finish_study(flags, progress, table,
                      {worlds_text(table), worlds_markdown(table), utility_csv(table),
                       dump_json(worlds_json(table)) + '\n'});
}

int reproduce_parts(const Context& context, const ReproduceFlags& flags,
                    ConsoleProgress& progress) {
  const UtilityTable table =
      reproduce_ablation(context, load_study_networks(context, flags.data),
                         generate_study_networks(context, flags.worlds), flags.study.simulations,
                         UnitStore(flags.out), flags.retry_failed);
  return finish_study(flags, progress, table,
                      {utility_text(table), utility_markdown(table), utility_csv(table),
                       dump_json(utility_json(table, "ablation")) + '\n'});
}

int reproduce_node_effects(const Context& context, const ReproduceFlags& flags,
                           ConsoleProgress& progress) {
  const EffectsTable table =
      reproduce_effects(context, load_study_networks(context, flags.data), flags.study.simulations,
                        flags.rows.estimators, UnitStore(flags.out), flags.retry_failed);
  return finish_study(flags, progress, table,
                      {effects_text(table), effects_markdown(table), effects_csv(table),
                       dump_json(effects_json(table)) + '\n'});
}

int reproduce_intervals(const Context& context, const ReproduceFlags& flags,
                        ConsoleProgress& progress) {
  const UnitStore store(flags.out);
  const CoverageTable table =
      reproduce_coverage(context, generate_coverage_networks(context, flags.coverage),
                         flags.study.simulations, flags.coverage, store, flags.retry_failed);
  progress.clear();
  write_output(flags, {coverage_text(table), coverage_markdown(table), coverage_csv(table),
                       dump_json(coverage_json(table)) + '\n'});
  return report_run(flags, table.run);
}

struct Study {
  const char* name;
  int (*run)(const Context&, const ReproduceFlags&, ConsoleProgress&);
  std::vector<std::string_view> flags;  ///< of those that not every study uses
};

const std::vector<Study>& studies() {
  static const std::vector<Study> all_studies = {
      {"table1", reproduce_first_table, {"--normalisation"}},
      {"table2", reproduce_second_table, {"--normalisation", "--runs", "--tune", "--retry-failed"}},
      {"figure2", reproduce_figure, {"--normalisation", "--runs", "--tune", "--retry-failed"}},
      {"utility", reproduce_utilities, {"--estimators", "--retry-failed"}},
      {"worlds", reproduce_all_worlds, {"--estimators", "--nodes", "--retry-failed"}},
      {"effects", reproduce_node_effects, {"--estimators", "--retry-failed"}},
      {"ablation", reproduce_parts, {"--nodes", "--retry-failed"}},
      {"coverage",
       reproduce_intervals,
       {"--coverage-nodes", "--quiet-simulations", "--retry-failed"}}};
  return all_studies;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const Study& study : studies()) names.emplace_back(study.name);
  return names;
}

const Study& find_study(const std::string& name) {
  return *std::find_if(studies().begin(), studies().end(),
                       [&](const Study& study) { return study.name == name; });
}

/// Names every flag that the study does not use, instead of ignoring it.
void refuse_idle_study_flags(const CLI::App& command, const Study& study) {
  std::vector<Fault> faults;
  for (const std::string_view flag :
       {"--normalisation", "--runs", "--tune", "--retry-failed", "--estimators", "--nodes",
        "--coverage-nodes", "--quiet-simulations"}) {
    if (command.count(std::string(flag)) == 0) continue;
    if (std::find(study.flags.begin(), study.flags.end(), flag) != study.flags.end()) continue;
    faults.push_back({{.item = std::string(flag)},
                      fmt::format("has no part in {}", study.name),
                      "leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

int run_reproduce(const ReproduceFlags& flags) {
  validate(flags.study);
  validate(flags.worlds);
  validate(flags.coverage);
  std::error_code failure;
  std::filesystem::create_directories(flags.out, failure);
  if (path_kind(flags.out) != PathKind::kFolder) {
    throw Error(ErrorCode::kUsage, {{.item = "--out"},
                                    fmt::format("cannot make the folder {}", printable(flags.out)),
                                    "name another one"});
  }
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(flags.run.seed, flags.run.threads, &progress);
  return find_study(flags.what).run(context, flags, progress);
}

}  // namespace

void add_reproduce_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App* command =
      root.add_subcommand("reproduce", "Studies against known truth: the paper's tables, and more");
  command->footer(kReproduceFooter);
  command->add_option("WHAT", flags->what, "Which study; see below")
      ->required()
      ->check(CLI::IsMember(study_names()));
  command->add_option("--data", flags->data, "Folder with the two networks, or demo")
      ->envname("CONE_DATA_DIR")
      ->required();
  command
      ->add_option("--out", flags->out, "Folder to write; a study that was stopped goes on in it")
      ->required()
      ->check(file_name);
  command->add_flag("--retry-failed", flags->retry_failed, "Compute failed units again");
  flags->run.bind(*command);
  bind_flags(*command, flags->study, "Experiment");
  bind_flags(*command, flags->rows, "Experiment");
  bind_flags(*command, flags->worlds, "Experiment");
  bind_flags(*command, flags->coverage, "Experiment");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_study_flags(*command, find_study(flags->what));
      if (flags->what == "figure2" && command->count("--runs") == 0) {
        flags->study.runs = kFigureRuns;
      }
      return run_reproduce(*flags);
    };
  });
}

}  // namespace cone::app
