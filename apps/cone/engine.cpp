#include "engine.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "cone/error.hpp"

#ifdef CONE_PETSC
#include <algorithm>
#include <cstdint>
#include <iostream>

#include <petscsys.h>

#include "cone/communicator.hpp"
#include "cone/evaluate.hpp"

#include "base/stopwatch.hpp"
#include "commands.hpp"
#include "distributed/collective_error.hpp"
#include "distributed/load_on_ranks.hpp"
#include "evaluate_flags.hpp"
#include "mpi/mpi_communicator.hpp"
#include "mpi/scotch.hpp"
#include "options/json_text.hpp"
#include "outputs.hpp"
#include "run_summary.hpp"
#include "terminal.hpp"
#endif

namespace cone::app {

bool is_first_process() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::string_view(rank) == "0";
}

void refuse_many_processes() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr || std::string_view(size) == "1") return;
  throw Error(ErrorCode::kUsage,
              {{.item = "--engine"},
               fmt::format("mpirun started {} processes, and without --engine petsc each of them "
                           "would evaluate everything",
                           size),
               "add --engine petsc, or start the program without mpirun"});
}

#ifndef CONE_PETSC

int run_on_ranks(const EvaluateFlags& /*flags*/) {
  throw Error(ErrorCode::kUsage,
              {{.item = "--engine petsc"},
               "this program was built without PETSc and MPI",
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

/// Refuses flags for outputs that the distributed engine does not have.
void refuse_outputs(const EvaluateFlags& flags) {
  std::vector<Fault> faults;
  const auto refuse = [&](const char* flag, const std::string& file) {
    if (file.empty()) return;
    faults.push_back({{.item = flag},
                      "is not supported with --engine petsc",
                      "leave it out, or evaluate without --engine"});
  };
  refuse("--nodes", flags.nodes);
  refuse("--budget-curve", flags.budget_curve);
  refuse("--model", flags.model);
  refuse("--report", flags.report);
  refuse("--attention", flags.explanations.attention);
  refuse("--embeddings", flags.explanations.embeddings);
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

distributed::Partition read_partition(const std::string& name) {
  if (name == "none") return distributed::Partition::kNone;
  return name == "scotch" ? distributed::Partition::kScotch : distributed::Partition::kAuto;
}

nlohmann::ordered_json describe_cut(const distributed::Cut& cut) {
  nlohmann::ordered_json out;
  out["ghosts"] = cut.num_ghosts;
  out["largest_ghosts"] = cut.largest_ghosts;
  out["imbalance"] = cut.imbalance;
  return out;
}

nlohmann::ordered_json describe_partition(const distributed::PartitionReport& partition) {
  nlohmann::ordered_json out;
  out["moved"] = partition.moved;
  out["reason"] = partition.reason;
  if (partition.as_read) out["as_read"] = describe_cut(*partition.as_read);
  if (partition.proposed) out["proposed"] = describe_cut(*partition.proposed);
  return out;
}

/// Sums or maxima over the ranks; collective.
nlohmann::ordered_json describe_phase(const Communicator& comm,
                                      const distributed::PhaseMeter::Phase& phase) {
  nlohmann::ordered_json out;
  out["seconds"] = comm.allreduce_max(phase.seconds);
  out["largest_peak_bytes"] = comm.allreduce_max(phase.peak_bytes);
  out["sent_bytes"] = comm.allreduce(phase.traffic.num_bytes);
  out["exchanges_per_rank"] = comm.allreduce_max(phase.traffic.num_calls);
  out["exchanging_seconds"] =
      comm.allreduce(phase.traffic.seconds) / static_cast<double>(comm.size());
  return out;
}

/// Time, memory and traffic over all ranks; collective.
nlohmann::ordered_json describe_ranks(const Communicator& comm,
                                      const distributed::EngineReport& report) {
  const Communicator::Traffic traffic = comm.traffic();
  std::uint64_t peak = 0;
  for (const auto& phase : report.meter.phases()) peak = std::max(peak, phase.peak_bytes);
  nlohmann::ordered_json out;
  out["name"] = "petsc";
  out["ranks"] = comm.size();
  out["largest_peak_bytes"] = comm.allreduce_max(peak);
  out["sent_bytes"] = comm.allreduce(traffic.num_bytes);
  out["exchanges_per_rank"] = comm.allreduce_max(traffic.num_calls);
  out["exchanging_seconds"] = comm.allreduce(traffic.seconds) / static_cast<double>(comm.size());
  out["largest_ghosts"] = comm.allreduce_max(report.num_ghosts);
  out["partition"] = describe_partition(report.partition);
  for (const auto& phase : report.meter.phases()) {
    out["phases"][phase.name] = describe_phase(comm, phase);
  }
  return out;
}

void print(const EvaluateFlags& flags, const LoadedData& read, const EvaluationRecord& record,
           const nlohmann::ordered_json& engine, Outputs& outputs) {
  nlohmann::ordered_json json = to_json(record);
  json["engine"] = engine;
  if (!flags.run.quiet && flags.json != "-") print_summary(record, read);
  outputs.print_answer(
      flags.json, [&] { return dump_json(json); },
      [&] { return evaluation_text(record, flags.details); });
}

/// CONE_SHARED_MEMORY=off: for containers with an undetectable /dev/shm limit.
bool may_share_memory() {
  const char* const value = std::getenv("CONE_SHARED_MEMORY");
  return value == nullptr || std::string_view(value) != "off";
}

int evaluate_collectively(const EvaluateFlags& flags, Outputs& outputs) {
  const mpi::MpiCommunicator comm(PETSC_COMM_WORLD, may_share_memory());
  const mpi::ScotchPartitioner scotch(comm);
  ConsoleProgress progress(flags.run.quiet || !comm.is_root());
  const Context context(flags.run.seed, flags.run.threads == 0 ? 1 : flags.run.threads, &progress);
  distributed::EngineReport report{.meter = distributed::PhaseMeter(comm)};
  const Stopwatch watch;
  try {
    const distributed::EvaluationInput input =
        distributed::load_on_ranks(context, comm, flags.data, flags.table, flags.policies,
                                   read_partition(flags.partition), &scotch, report);
    const double load_seconds = watch.seconds();
    distributed::MeteredProgress metered(progress, report.meter);
    EvaluationRecord record = evaluate(context.with_observer(&metered), input.data, input.policies,
                                       flags.options);
    report.meter.finish("estimates");
    add_provenance({.data = flags.data,
                    .table = flags.table,
                    .policy_arguments = {flags.policies.begin(), flags.policies.end()},
                    .load_seconds = load_seconds,
                    .total_seconds = watch.seconds()},
                   input.data, record);
    const nlohmann::ordered_json engine = describe_ranks(comm, report);
    progress.clear();
    if (comm.is_root()) print(flags, input.data, record, engine, outputs);
    return kSuccess;
  } catch (const Error& error) {
    // Faults of the data and of the options follow from sums over all ranks, or from what all ranks
    // have: every rank throws them, and the first one reports them.
    const bool is_collective =
        error.code() == ErrorCode::kUsage || error.code() == ErrorCode::kData ||
        dynamic_cast<const distributed::CollectiveError*>(&error) != nullptr;
    if (!is_collective) {
      std::cerr << fmt::format("cone: rank {}: {}\n", comm.rank(), error.what());
      MPI_Abort(comm.comm(), kFailure);
    }
    progress.clear();
    if (comm.is_root()) throw;
    return kSuccess;  // a failure here would make mpirun kill the rank that reports
  } catch (const Cancelled&) {
    std::cerr << fmt::format("cone: rank {}: interrupted; nothing was written\n", comm.rank());
    MPI_Abort(comm.comm(), interrupted_status());
  } catch (const std::bad_alloc&) {
    std::cerr << fmt::format("cone: rank {}: out of memory; use more ranks on more machines\n",
                             comm.rank());
    MPI_Abort(comm.comm(), kFailure);
  } catch (const std::exception& error) {
    // The others wait for this rank: they must not wait forever.
    std::cerr << fmt::format("cone: rank {}: {}\n", comm.rank(), error.what());
    MPI_Abort(comm.comm(), kFailure);
  }
  return kFailure;
}

}  // namespace

int run_on_ranks(const EvaluateFlags& flags) {
  refuse_outputs(flags);
  // Only the first process writes.
  Outputs outputs = is_first_process() ? open_outputs(flags) : Outputs({}, {});
  const PetscSession session;
  catch_interrupts();  // after PETSc, which installs its own handlers
  if (!session.is_up()) throw Error(ErrorCode::kIo, {{}, "PETSc could not be started", ""});
  const int status = evaluate_collectively(flags, outputs);
  outputs.throw_failures();
  return status;
}

#endif

}  // namespace cone::app
