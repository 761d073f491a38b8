#include "engine.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "cone/error.hpp"

#ifdef CONE_PETSC
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <new>
#include <utility>

#include <petscsys.h>

#include "commands.hpp"
#include "data/collective_error.hpp"
#include "distributed/distribute.hpp"
#include "mpi/mpi_communicator.hpp"
#include "study/run_units.hpp"
#endif

namespace cone::app {
namespace {

void refuse_many_processes() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr || std::string_view(size) == "1") return;
  throw Error(ErrorCode::kUsage,
              {{.item = "--engine"},
               fmt::format("mpirun started {} processes, and without --engine petsc each of them "
                           "would do the same",
                           size),
               "add --engine petsc, or start the program without mpirun"});
}

}  // namespace

bool is_first_process() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::string_view(rank) == "0";
}

#ifndef CONE_PETSC

std::unique_ptr<Engine> start_engine(const EngineFlags& flags) {
  if (flags.is_distributed()) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--engine petsc"},
                 "this program was built without PETSc and MPI",
                 "./dev petsc builds build/release/bin/petsc/cone, which has it (docs/scale.md)"});
  }
  refuse_many_processes();
  return std::make_unique<Engine>();
}

#else

namespace {

/// MPI and PETSc between their first call and their last.
class PetscSession {
 public:
  PetscSession() {
    if (PetscInitializeNoArguments() != 0) {
      throw Error(ErrorCode::kIo, {{}, "PETSc could not be started", ""});
    }
  }
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
  ~PetscSession() { PetscFinalize(); }
};

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
  for (const auto& phase : report.meter.phases()) {
    out["phases"][phase.name] = describe_phase(comm, phase);
  }
  return out;
}

/// The ranks that mpirun started.
class RankEngine : public Engine {
 public:
  explicit RankEngine(const EngineFlags& flags)
      : flags_(flags), comm_(PETSC_COMM_WORLD), report_{.meter = distributed::PhaseMeter(comm_)} {}

  const Communicator& comm() const override { return comm_; }

  Context make_context(const CommonFlags& run, ConsoleProgress& progress) override {
    metered_.emplace(progress, report_.meter);
    const int threads = run.threads == 0 ? 1 : run.threads;
    return Context({.seed = run.seed, .threads = threads, .progress = &*metered_}).shared_by(comm_);
  }

  EvaluationInput load(const Context& context, const InputWords& words) override {
    const Context alone = context.shared_by(Communicator::self());
    if (flags_.reading == "sharded") {
      return distributed::load_on_ranks(alone, comm_, words.data, words.table, words.policies,
                                        report_);
    }
    run_on_root([&] { whole_ = load_input(alone, words); });
    report_.meter.finish("reading");
    return distribute(is_root() ? &whole_ : nullptr);
  }

  EvaluationInput distribute(const EvaluationInput* whole) override {
    return distributed::distribute_input(comm_, whole, report_);
  }

  const EvaluationInput& whole(const EvaluationInput& /*own*/) const override { return whole_; }

  void describe(nlohmann::ordered_json& record) override {
    report_.meter.finish("estimates");
    record["engine"] = describe_ranks(comm_, report_);
  }

  void run(const std::function<void()>& work) override {
    try {
      work();
    } catch (const Error& error) {
      // Faults of the data and of the options follow from sums over all ranks, or from what all
      // ranks have: every rank throws them, and the root reports them.
      const bool is_collective = error.code() == ErrorCode::kUsage ||
                                 error.code() == ErrorCode::kData ||
                                 dynamic_cast<const CollectiveError*>(&error) != nullptr;
      if (!is_collective) end_all(error.what(), kFailure);
      if (is_root()) throw;
      throw RootReports();  // an exit status here would make mpirun kill the root
    } catch (const RootReports&) {
      throw;
    } catch (const OtherShardsAreBusy&) {
      throw;  // of the root, when the others have nothing left to do
    } catch (const Cancelled&) {
      end_all("interrupted; nothing was written", interrupted_status());
    } catch (const std::bad_alloc&) {
      end_all("out of memory; use more ranks on more machines", kFailure);
    } catch (const std::exception& error) {
      end_all(error.what(), kFailure);
    }
  }

  void run_on_root(const std::function<void()>& work) override {
    run([&] {
      cone::run_on_root(comm_, [&] {
        work();
        return true;
      });
    });
  }

 private:
  /// The others wait for this rank: they must not wait forever.
  [[noreturn]] void end_all(const char* reason, int status) const {
    std::cerr << fmt::format("cone: rank {}: {}\n", comm_.rank(), reason);
    MPI_Abort(comm_.comm(), status);
    std::abort();
  }

  EngineFlags flags_;
  PetscSession session_;
  mpi::MpiCommunicator comm_;
  distributed::EngineReport report_;
  std::optional<distributed::MeteredProgress> metered_;
  EvaluationInput whole_;  ///< of all nodes, on the root
};

}  // namespace

std::unique_ptr<Engine> start_engine(const EngineFlags& flags) {
  if (flags.is_distributed()) return std::make_unique<RankEngine>(flags);
  refuse_many_processes();
  return std::make_unique<Engine>();
}

#endif

}  // namespace cone::app
