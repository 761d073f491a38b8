#include <iostream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "commands.hpp"
#include "flag_checks.hpp"
#include "flags.hpp"
#include "study/reproduce.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kReproduceFooter =
    R"(table1    treated nodes, and nodes with a positive effect, in the simulated data
table2    RMSE and MAE of every method: networks x kappa2 x simulations x runs
figure2   RMSE and MAE of cone over gamma x zeta at kappa2 = 2
values    RMSE of the policy value over all nodes and coverage of the intervals, also for an oracle
          that knows the topics: networks x kappa2 x simulations, three policies
worlds    RMSE of every default estimator, cohesion_dm, spectral_dm and spectral_dr in many worlds,
          real and synthetic, three policies; shows where the network ridge does harm
effects   error of individual effects (root PEHE) and of the average effect, by outcome model, on
          the simulation of Guo, Li and Liu (WSDM 2020), beside published results; --simulations
          is the number of replicates
ablation  contribution of each part of the network ridge: groups left out, noise, undersmoothing
coverage  coverage of sampling and sensitivity intervals, and how many verdicts, single best policies
          and rank sets are right, in 24 generated worlds (--data has no effect but must be given;
          demo will do)

Needs BlogCatalog.mat and Flickr.mat in the folder that --data names (or the environment variable
CONE_DATA_DIR); --data demo does the study on the built-in network instead. Prints the tables and
writes them as text, Markdown, CSV and JSON (figure2 also as heat maps, SVG).

All but table1 consist of independent jobs (one group of methods on one split or simulation). Each
is stored in OUT/units as soon as it is finished, so a study can be interrupted at any moment: the
same command resumes it, and the tables are the same. A job that fails does not stop the others. It
is named, the exit status is 1, and --retry-failed tries it again.

On several machines that share the folder OUT, give each its part by --shard: 1/4, 2/4, 3/4, 4/4.
The one that finishes last prints and writes the tables, the same bytes as one machine would. Shared
steps (tuning) are done by the first machine that needs them.

Examples:
  cone reproduce table1 --data DIR --out study
  cone reproduce table2 --data DIR --out study --simulations 2 --runs 2        a quick look
  cone reproduce table2 --data DIR --out study
  cone reproduce figure2 --data DIR --out study
  cone reproduce table2 --data DIR --out shared/study --shard 2/8
  cone reproduce table2 --data demo --out embedded
  cone reproduce values --data demo --out embedded --simulations 2 --estimators naive,dm_ridge)";

struct ReproduceFlags {
  std::string what;
  std::string data;
  std::string out;
  CommonFlags run;
  ReproduceOptions options;
};

/// Reports timing, reused and failed jobs on stderr.
int report_jobs(const StudyOutcome& study, bool quiet) {
  if (!quiet && !study.timing.empty()) std::cerr << study.timing << '\n';
  for (const std::string& remark : study.run.remarks) std::cerr << "! " << remark << '\n';
  for (const std::string& failure : study.run.failures)
    std::cerr << "! failed: " << failure << '\n';
  if (!study.run.failures.empty()) {
    std::cerr << fmt::format("{} of {} jobs failed; --retry-failed tries them again\n",
                             grouped(study.run.failures.size()), grouped(study.run.num_units));
  }
  if (!quiet && study.run.num_units > 0) {
    std::cerr << fmt::format("{} jobs, {} of them from earlier runs\n",
                             grouped(study.run.num_units), grouped(study.run.num_reused));
  }
  return study.run.failures.empty() ? kSuccess : kFailure;
}

int run_reproduce(const ReproduceFlags& flags) {
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(
      {.seed = flags.run.seed, .threads = flags.run.threads, .progress = &progress});
  const StudyOutcome study =
      reproduce_study(context, flags.what, flags.data, flags.out, flags.options);
  progress.clear();
  std::cout << study.text << std::flush;
  const int status = report_jobs(study, flags.run.quiet);
  if (!study.unwritten.empty()) throw Error(ErrorCode::kIo, study.unwritten);
  return status;
}

}  // namespace

void add_reproduce_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App* command = root.add_subcommand(
      "reproduce", "Simulation studies with known truth: the paper's tables, and more");
  command->footer(kReproduceFooter);
  command->add_option("WHAT", flags->what, "Study to run; the description has a line for each")
      ->required()
      ->check(CLI::IsMember(study_names()));
  command->add_option("--data", flags->data, "Folder with the two networks, or demo")
      ->envname("CONE_DATA_DIR")
      ->required();
  command->add_option("--out", flags->out, "Folder to write; an interrupted study is resumed in it")
      ->required()
      ->check(file_name);
  flags->run.bind(*command);
  bind_flags(*command, flags->options, "Experiment");
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      prepare_study(flags->what, flags_given(*command), flags->options);
      return run_reproduce(*flags);
    };
  });
}

}  // namespace cone::app
