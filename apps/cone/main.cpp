#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "engine.hpp"
#include "printable_output.hpp"
#include "restart.hpp"
#include "study/run_units.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  cone evaluate demo --policy treat-all uniform       a first look, on a built-in network
  cone check DATA                                     how your data is read
  cone evaluate DATA --policy policy.csv              your data, your candidate policies
  cone evaluate DATA --policy p.csv --json out.json   the same, for a script
  cone effects DATA --out effects.csv                 potential outcomes and effects of every node
  cone sensitivity DATA --policy treat-all            sensitivity to unmeasured confounding
  cone refute DATA --policy treat-all --out refuted   placebo and other refutation tests
  cone learn DATA --out rule.csv                      learn a treatment rule and its value
  cone report out.json --out out.html                 charts and tables on one page
  cone tune DATA --out tuned                          tune the hyperparameters of cone's networks
  cone fit DATA --out MODEL                           train once; evaluate DATA --model MODEL
  cone simulate --nodes 500 --out small               simulated data with known truth
  cone estimators                                     the estimators and the models they use

cone COMMAND --help explains a command with examples.
Exit status: 0 success, 2 wrong usage or bad input, 130 after Ctrl-C, 143 after SIGTERM (128 + the
signal also after SIGHUP, SIGXCPU and SIGUSR1), 141 if the reader of the output is gone, 1 any other
failure.)";

/// Of several processes that mpirun started, the first reports wrong arguments, and its exit status
/// makes mpirun end the others. They wait for that: if they exited first, mpirun would end the
/// first before it has reported. A process that is not ended within this time reports by itself.
void let_first_report() {
  constexpr std::chrono::seconds kLongest{5};
  if (is_first_process()) return;
  std::this_thread::sleep_for(kLongest);
}

void print_error(const Error& error) {
  if (error.code() == ErrorCode::kUsage) let_first_report();
  const std::size_t count = error.faults().size() + error.num_unlisted();
  if (count > 1) std::cerr << fmt::format("cone: {} problems\n", count);
  for (const Fault& fault : error.faults()) {
    std::cerr << (count > 1 ? "  " : "cone: ") << fault.to_string() << '\n';
  }
  if (error.num_unlisted() > 0) {
    std::cerr << fmt::format("  ... and {} more\n", error.num_unlisted());
  }
}

int exit_status(ErrorCode code) {
  return code == ErrorCode::kUsage || code == ErrorCode::kData ? kBadInput : kFailure;
}

/// CLI11 would only say that a subcommand is missing.
bool refuse_unknown_command(const CLI::App& root, const std::string& word) {
  if (word.starts_with('-')) return false;
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return false;
  const std::string nearest = closest_name(word, names);
  let_first_report();
  std::cerr << fmt::format("cone: there is no command '{}'; {}\n", printable(word),
                           nearest.empty() ? fmt::format("choose from {}", fmt::join(names, ", "))
                                           : fmt::format("did you mean {}?", nearest));
  return true;
}

/// "--no-robust" as the option "robust" and the prefix "--no-".
std::pair<std::string, std::string_view> option_of(std::string_view flag) {
  const std::string_view prefix = flag.starts_with("--no-") ? "--no-" : "--";
  std::string option(flag.substr(prefix.size()));
  std::replace(option.begin(), option.end(), '-', '_');
  return {std::move(option), prefix};
}

/// "--no-robust" → "--no-sensitivity-interval"; empty for a flag that was never called otherwise.
std::string present_flag(std::string_view flag) {
  const auto [option, prefix] = option_of(flag);
  const std::string_view present = renamed_option(option);
  return present.empty() ? "" : std::string(prefix) + flag_name(present).substr(2);
}

/// The flag of `names` that was meant: by the name that other packages have for it, or the nearest.
std::string intended_flag(const std::string& flag, const std::vector<std::string>& names) {
  const std::string_view familiar = familiar_option(option_of(flag).first);
  const std::string ours = familiar.empty() ? "" : flag_name(familiar);
  return std::find(names.begin(), names.end(), ours) != names.end() ? ours
                                                                    : closest_name(flag, names);
}

/// The message for a word that looks like a flag but is not one of the command's. CLI11 would
/// report a missing required flag first, which the mistyped word may have been meant for.
std::optional<std::string> unknown_flag(const CLI::App& root, int argc, char** argv) {
  const std::vector<const CLI::App*> commands = root.get_subcommands({});
  const auto named = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
    return command->get_name() == argv[1];
  });
  const CLI::App* command = named == commands.end() ? nullptr : *named;
  for (int i = 2; command != nullptr && i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string flag(word.substr(0, word.find('=')));
    if (command->get_option_no_throw(flag) != nullptr) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::string present = present_flag(flag);
    if (std::find(names.begin(), names.end(), present) != names.end()) {
      return fmt::format("{} is called {} now", printable(flag), present);
    }
    if (flag == "--data" && command->get_option_no_throw("DATA") != nullptr) {
      return fmt::format("there is no --data; the data comes without a flag: cone {} DATA",
                         command->get_name());
    }
    const std::string nearest = intended_flag(flag, names);
    return fmt::format("there is no {}{}", printable(flag),
                       nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  }
  return std::nullopt;
}

int run_command(int argc, char** argv) {
  CLI::App root(
      "Off-policy evaluation on networks. Estimates the value of treatment policies from\n"
      "logged data whose units are connected, and its sensitivity to unmeasured confounding.",
      "cone");
  root.set_version_flag("--version", fmt::format("cone {} (commit {}, revision {})", kVersion,
                                                 build_commit(), source_revision()));
  root.require_subcommand(1);
  root.footer(kExamples);
  root.get_formatter()->column_width(34);
  Command chosen;
  add_evaluate_command(root, chosen);
  add_effects_command(root, chosen);
  add_sensitivity_command(root, chosen);
  add_refute_command(root, chosen);
  add_learn_command(root, chosen);
  add_report_command(root, chosen);
  add_check_command(root, chosen);
  add_tune_command(root, chosen);
  add_fit_command(root, chosen);
  add_simulate_command(root, chosen);
  add_reproduce_command(root, chosen);
  add_estimators_command(root, chosen);
  add_completion_command(root, chosen);
  if (argc == 1) {
    std::cerr << root.help();
    return kBadInput;
  }
  if (refuse_unknown_command(root, argv[1])) return kBadInput;
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return root.exit(error, std::cout, std::cerr);
    const bool is_word_too_many =
        error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    let_first_report();
    if (const std::optional<std::string> unknown = unknown_flag(root, argc, argv)) {
      std::cerr << "cone: " << *unknown << "; --help explains\n";
      return kBadInput;
    }
    std::cerr << "cone: " << error.what() << "; "
              << (is_word_too_many ? "lists have commas and no spaces (--ignore a,b); " : "")
              << "--help explains\n";
    return kBadInput;
  }
  return chosen();
}

}  // namespace
}  // namespace cone::app

namespace {

/// Runs a command to its exit status, whatever it throws.
int run_to_status(int argc, char** argv) {
  using namespace cone;
  try {
    return app::finish_stdout(app::run_command(argc, argv));
  } catch (const app::RootReports&) {
    return app::kSuccess;  // another status would make mpirun end the root before it has reported
  } catch (const Error& error) {
    app::print_error(error);
    return app::exit_status(error.code());
  } catch (const OtherShardsAreBusy& busy) {
    std::cout << busy.what() << '\n';
    return app::kSuccess;
  } catch (const Cancelled&) {
    std::cerr << "cone: interrupted\n";
    return app::interrupted_status();
  } catch (const std::bad_alloc&) {
    std::cerr
        << "cone: out of memory; try fewer policies, features or --threads, or a machine with "
           "more\n";
  } catch (const std::exception& error) {
    std::cerr << "cone: internal error: " << error.what() << '\n';
  }
  return app::kFailure;
}

/// Calls `work` on a stack of the usual size where `ulimit -s` leaves less than a megabyte, and
/// gives one to threads too: a low limit should not crash the program.
template <class Work>
int run_on_usual_stack(const Work& work) {
  constexpr rlim_t kEnough = rlim_t{1} << 20U;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return work();
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  pthread_attr_setstacksize(&usual, 8 * kEnough);
  pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
  int status = cone::app::kFailure;
  std::thread([&] { status = work(); }).join();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cone;
  app::open_standard_streams();
  app::restart_with_better_kernels(argv);
  const app::PrintableOutput output;
  app::prepare_signals();
  return run_on_usual_stack([&] { return run_to_status(argc, argv); });
}
