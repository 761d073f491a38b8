#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "options/json_text.hpp"
#include "study/figure2.hpp"
#include "study/table1.hpp"
#include "study/table2.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kReproduceFooter =
    R"(table1   treated nodes, and nodes that gain from treatment, in the simulated logs
table2   RMSE and MAE of every method: networks x kappa2 x simulations x runs
figure2  RMSE and MAE of cone over gamma x zeta at kappa2 = 2

Needs BlogCatalog.mat and Flickr.mat in the folder that --data names (or the environment variable
CONE_DATA_DIR); --data demo does the study on the built-in network instead. Prints the tables and
writes them as text, Markdown, CSV and JSON (figure2 also as heat maps, SVG).

table2 and figure2 consist of independent units (one group of methods on one split). Each is stored
in OUT/units as soon as it is finished, so you can stop at any moment: the same command goes on from
there, and the tables come out the same. A unit that fails does not stop the others. It is named,
the exit status is 1, and --retry-failed tries it again.

Examples:
  cone reproduce table1 --data DIR --out study
  cone reproduce table2 --data DIR --out study --simulations 2 --runs 2        a quick look
  cone reproduce table2 --data DIR --out study
  cone reproduce figure2 --data DIR --out study
  cone reproduce table2 --data demo --out embedded)";

constexpr int kFigureRuns = 1;

struct ReproduceFlags {
  std::string what;
  std::string data;
  std::string out;
  bool retry_failed = false;
  CommonFlags run;
  StudyOptions study;
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

/// Names every flag that the table does not use, instead of ignoring it.
void refuse_idle_study_flags(const CLI::App& command, const std::string& what) {
  if (what != "table1") return;
  std::vector<Fault> faults;
  for (const char* flag : {"--runs", "--tune", "--retry-failed"}) {
    if (command.count(flag) == 0) continue;
    faults.push_back({{.item = flag}, "has no part in table1", "leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

int run_reproduce(const ReproduceFlags& flags) {
  validate(flags.study);
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
  if (flags.what == "table1") {
    return reproduce_first_table(context, flags, progress);
  }
  return flags.what == "table2" ? reproduce_second_table(context, flags, progress)
                                : reproduce_figure(context, flags, progress);
}

}  // namespace

void add_reproduce_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App* command =
      root.add_subcommand("reproduce", "Reproduce the paper's study beside its printed figures");
  command->footer(kReproduceFooter);
  command->add_option("WHAT", flags->what, "table1, table2 or figure2")
      ->required()
      ->check(CLI::IsMember({"table1", "table2", "figure2"}));
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
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      refuse_idle_study_flags(*command, flags->what);
      if (flags->what == "figure2" && command->count("--runs") == 0) {
        flags->study.runs = kFigureRuns;
      }
      return run_reproduce(*flags);
    };
  });
}

}  // namespace cone::app
