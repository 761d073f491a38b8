#include "engine.hpp"

#include "cone/error.hpp"

#ifdef CONE_PETSC
#include <cstdint>
#include <iostream>

#include <fmt/format.h>
#include <petscsys.h>
#include <sys/resource.h>

#include "cone/evaluate.hpp"

#include "base/file.hpp"
#include "commands.hpp"
#include "distributed/evaluate_on_ranks.hpp"
#include "options/json_text.hpp"
#include "terminal.hpp"
#endif

namespace cone::app {

#ifndef CONE_PETSC

int run_on_ranks(const EvaluateFlags& /*flags*/) {
  throw Error(ErrorCode::kUsage,
              {{.item = "--engine petsc"},
               "this program was built without it: no MPI is in it",
               "./dev petsc builds build/release/bin/petsc/cone, which has it (docs/scale.md)"});
}

#else

namespace {

/// MPI and PETSc between their first call and their last.
class PetscSession {
 public:
  PetscSession() { is_up_ = PetscInitializeNoArguments() == 0; }
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
  ~PetscSession() {
    if (is_up_) PetscFinalize();
  }
  bool is_up() const { return is_up_; }

 private:
  bool is_up_ = false;
};

/// Flags that write what ranks do not have.
void refuse_outputs(const EvaluateFlags& flags) {
  std::vector<Fault> faults;
  const auto refuse = [&](const char* flag, const std::string& file) {
    if (file.empty()) return;
    faults.push_back({{.item = flag},
                      "is not known to --engine petsc",
                      "leave it out, or evaluate without --engine"});
  };
  refuse("--nodes", flags.nodes);
  refuse("--budget-curve", flags.budget_curve);
  refuse("--model", flags.model);
  refuse("--report", flags.report);
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// What the processes needed, over all of them; called by all.
nlohmann::ordered_json describe_ranks(const distributed::Ranks& ranks) {
  const distributed::Ranks::Traffic traffic = ranks.traffic();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::uint64_t kKibibyte = 1024;
  nlohmann::ordered_json out;
  out["name"] = "petsc";
  out["ranks"] = ranks.size();
  out["largest_peak_bytes"] =
      ranks.find_largest(static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte);
  out["sent_bytes"] = ranks.add_up(traffic.num_bytes);
  out["exchanges_per_rank"] = ranks.find_largest(traffic.num_calls);
  out["exchanging_seconds"] = ranks.add_up(traffic.seconds) / static_cast<double>(ranks.size());
  return out;
}

void print(const EvaluateFlags& flags, const EvaluationRecord& record,
           const nlohmann::ordered_json& engine) {
  nlohmann::ordered_json json = to_json(record);
  json["engine"] = engine;
  if (flags.json == "-") {
    std::cout << dump_json(json) << std::endl;
    return;
  }
  std::cout << evaluation_text(record, flags.details) << std::flush;
  if (!flags.json.empty()) {
    write_atomically(flags.json, [&](std::ostream& out) { out << dump_json(json) << '\n'; });
  }
}

int evaluate_together(const EvaluateFlags& flags) {
  const distributed::Ranks ranks(PETSC_COMM_WORLD);
  ConsoleProgress progress(flags.run.quiet || !ranks.is_first());
  const Context context(flags.run.seed, flags.run.threads == 0 ? 1 : flags.run.threads, &progress);
  try {
    EvaluationRecord record = distributed::evaluate_on_ranks(
        context, ranks, flags.data, flags.table, flags.policies, flags.options);
    const LoadedData read{.notes = record.notes};
    add_provenance({.data = flags.data,
                    .table = flags.table,
                    .policy_arguments = {flags.policies.begin(), flags.policies.end()},
                    .load_seconds = record.timing_seconds["load"],
                    .total_seconds = record.timing_seconds["total"]},
                   read, record);
    const nlohmann::ordered_json engine = describe_ranks(ranks);
    progress.clear();
    if (ranks.is_first()) print(flags, record, engine);
    return kSuccess;
  } catch (const distributed::SharedError&) {
    progress.clear();
    if (ranks.is_first()) throw;  // all know of it; one says so
    return kSuccess;              // a status of its own would have mpirun kill the one that speaks
  } catch (const Cancelled&) {
    std::cerr << fmt::format("cone: rank {}: interrupted; nothing was written\n", ranks.rank());
    MPI_Abort(ranks.comm(), interrupted_status());
  } catch (const std::bad_alloc&) {
    std::cerr << fmt::format("cone: rank {}: out of memory; take more ranks on more machines\n",
                             ranks.rank());
    MPI_Abort(ranks.comm(), kFailure);
  } catch (const std::exception& error) {
    // The others wait for this rank: they must not wait for ever.
    std::cerr << fmt::format("cone: rank {}: {}\n", ranks.rank(), error.what());
    MPI_Abort(ranks.comm(), kFailure);
  }
  return kFailure;
}

}  // namespace

int run_on_ranks(const EvaluateFlags& flags) {
  refuse_outputs(flags);
  const PetscSession session;
  catch_interrupts();  // after PETSc, which has handlers of its own
  if (!session.is_up()) throw Error(ErrorCode::kIo, {{}, "PETSc could not be started", ""});
  return evaluate_together(flags);
}

#endif

}  // namespace cone::app
