#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/simulate.hpp"

#include "engine.hpp"
#include "flag_checks.hpp"

namespace cone::app {

namespace {

/// The one policy that --against names.
PolicyOnData resolve_against(const Context& context, const Dataset& data,
                             const std::string& against) {
  std::vector<PolicyOnData> found = resolve_policies(context, data, std::vector{against});
  if (found.size() != 1) {
    throw Error(ErrorCode::kUsage, {{.item = "--against"},
                                    fmt::format("the file holds {} policies", found.size()),
                                    "name one policy, or a file with one column"});
  }
  return std::move(found.front());
}

}  // namespace

void EngineFlags::bind(CLI::App& command, bool can_read_sharded) {
  command
      .add_option("--engine", engine,
                  "threads: one process; petsc: distributed over the MPI ranks that mpirun started "
                  "(if built in; not for neural networks and kernels)")
      ->check(CLI::IsMember({"threads", "petsc"}))
      ->capture_default_str();
  if (!can_read_sharded) return;
  command
      .add_option("--reading", reading,
                  "How data is read (--engine petsc). whole: by the first rank, which distributes "
                  "it; sharded: each rank reads a part, for data that one process cannot hold "
                  "(folders of plain files, fewer options and data checks)")
      ->check(CLI::IsMember({"whole", "sharded"}))
      ->capture_default_str();
}

void EngineFlags::check(const CLI::App& command) const {
  if (is_distributed()) return;
  const IsGiven is_given = flags_given(command);
  IdleOptions options(is_given);
  if (command.get_option_no_throw("--reading") != nullptr) {
    options.refuse("reading", "has no effect without --engine petsc",
                   "add --engine petsc, or leave it out");
  }
  options.throw_if_any();
}

Context Engine::make_context(const CommonFlags& run, ConsoleProgress& progress) {
  return Context({.seed = run.seed, .threads = run.threads, .progress = &progress});
}

EvaluationInput load_input(const Context& context, const InputWords& words) {
  EvaluationInput out{.data = load_named(context, words.data, words.table)};
  out.policies = resolve_policies(context, out.data.observed, words.policies);
  if (!words.against.empty()) {
    out.policies.push_back(resolve_against(context, out.data.observed, words.against));
  }
  return out;
}

std::string Engine::read_file(const std::string& file) {
  std::string bytes;
  run_on_root([&] { bytes = MappedFile(file).bytes(); });
  return comm().allgather(bytes).front();
}

}  // namespace cone::app
