#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"

#include "flags.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace cone::app {

/// Flags of the commands whose data may be distributed over several processes.
struct EngineFlags {
  std::string engine = "threads";
  std::string reading = "whole";

  bool is_distributed() const { return engine == "petsc"; }
  /// `can_read_sharded`: for commands that write no row per node.
  void bind(CLI::App& command, bool can_read_sharded);
  /// Refuses flags of distributed data without --engine petsc. Throws Error(kUsage).
  void check(const CLI::App& command) const;
};

/// What a command reads: words of its command line.
struct InputWords {
  const std::string& data;
  const LoadOptions& table;
  std::span<const std::string> policies;
  std::string against;  ///< one more policy: the last of the input; may be one of the others
};

EvaluationInput load_input(const Context& context, const InputWords& words);

/// Ends this process: another one reports the error.
class RootReports : public std::exception {};

/// Where a command computes. This base class is one process; --engine petsc is the ranks that
/// mpirun started, which all run the command together. Functions are collective; only the root
/// prints and writes.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const Communicator& comm() const { return Communicator::self(); }
  bool is_root() const { return comm().is_root(); }

  /// The context of the run, which reports to `progress`.
  virtual Context make_context(const CommonFlags& run, ConsoleProgress& progress);
  /// On ranks each has some of the nodes.
  virtual EvaluationInput load(const Context& context, const InputWords& words) {
    return load_input(context, words);
  }
  /// Distributes the root's input, which the others pass as nullptr; in one process, a copy.
  virtual EvaluationInput distribute(const EvaluationInput* whole) { return *whole; }
  /// The input of all nodes, on the root: `own`, unless it is distributed. Not collective.
  virtual const EvaluationInput& whole(const EvaluationInput& own) const { return own; }
  /// Adds what the ranks used to a record.
  virtual void describe(nlohmann::ordered_json& /*record*/) {}

  /// Calls work(), which all ranks do together. What all of them throw is thrown by the root, and
  /// RootReports by the others; what only some throw ends the run.
  virtual void run(const std::function<void()>& work) { work(); }
  /// Calls work() on the root; what it throws ends the command on all ranks, as in run().
  virtual void run_on_root(const std::function<void()>& work) { work(); }

  /// The outputs that open() returns on the root; none on the others.
  template <class Open>
  Outputs open_outputs(const Open& open) {
    std::optional<Outputs> out;
    run_on_root([&] { out.emplace(open()); });
    return out ? std::move(*out) : Outputs({}, {});
  }
  /// The bytes of a file that the root reads.
  std::string read_file(const std::string& file);
};

/// Throws Error(kUsage) where the program was built without the engine, or where mpirun started
/// several processes without --engine petsc, which would all do the same.
std::unique_ptr<Engine> start_engine(const EngineFlags& flags);

/// Whether this is the only process, or the first of those that mpirun started.
bool is_first_process();

}  // namespace cone::app
