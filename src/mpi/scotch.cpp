#include "mpi/scotch.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <petscmat.h>

#include "cone/text.hpp"

#include "data/collective_error.hpp"
#include "mpi/petsc_checks.hpp"

namespace cone::mpi {

using distributed::GlobalData;
using distributed::NodeRows;

namespace {

/// PETSc objects of one call.
struct Objects {
  Mat network = nullptr;
  MatPartitioning partitioning = nullptr;
  IS owners = nullptr;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    ISDestroy(&owners);
    MatPartitioningDestroy(&partitioning);
    MatDestroy(&network);
  }
};

template <class T>
PetscInt* copy_for_petsc(std::span<const T> values) {
  PetscInt* out = nullptr;
  check_petsc(PetscMalloc1(std::max<std::size_t>(values.size(), 1), &out));
  std::ranges::transform(values, out, [](T value) { return static_cast<PetscInt>(value); });
  return out;
}

constexpr std::uint64_t kMaxPetscInt = std::numeric_limits<PetscInt>::max();

}  // namespace

bool ScotchPartitioner::fits(const GlobalData& global, const NodeRows& rows) const {
  const std::uint64_t ends = comm_.allreduce_max(std::uint64_t{rows.neighbours.size()});
  return global.num_nodes <= kMaxPetscInt && ends <= kMaxPetscInt;
}

void ScotchPartitioner::refuse_too_large(const GlobalData& global, const NodeRows& rows) const {
  if (fits(global, rows)) return;
  FaultList faults;
  if (comm_.is_root()) {
    faults.add(
        "partition",
        {{.item = "--partition scotch"},
         fmt::format("{} nodes, or the edges of one rank, are more than this PETSc's integers hold "
                     "({})",
                     grouped(global.num_nodes), grouped(kMaxPetscInt)),
         "use --partition none, more ranks, or a PETSc with 64-bit indices"});
  }
  throw_if_any(comm_, faults, ErrorCode::kUsage);
}

std::vector<std::uint32_t> ScotchPartitioner::assign_rows(
    const GlobalData& global, const NodeRows& rows, std::span<const std::uint32_t> weights) const {
  // Some imbalance costs less than the additional cut edges of a strict balance.
  constexpr PetscReal kImbalance = 0.05;
  refuse_too_large(global, rows);
  Objects made;
  // The matrix and the partitioning take ownership of the arrays.
  check_petsc(MatCreateMPIAdj(
      comm_.comm(), static_cast<PetscInt>(rows.size()), static_cast<PetscInt>(global.num_nodes),
      copy_for_petsc(std::span<const std::uint64_t>(rows.edge_offsets)),
      copy_for_petsc(std::span<const std::uint64_t>(rows.neighbours)), nullptr, &made.network));
  check_petsc(MatPartitioningCreate(comm_.comm(), &made.partitioning));
  check_petsc(MatPartitioningSetAdjacency(made.partitioning, made.network));
  check_petsc(MatPartitioningSetType(made.partitioning, MATPARTITIONINGPTSCOTCH));
  check_petsc(MatPartitioningPTScotchSetImbalance(made.partitioning, kImbalance));
  check_petsc(MatPartitioningPTScotchSetStrategy(made.partitioning, MP_PTSCOTCH_SPEED));
  check_petsc(MatPartitioningSetVertexWeights(made.partitioning, copy_for_petsc(weights)));
  check_petsc(MatPartitioningSetNParts(made.partitioning, static_cast<PetscInt>(comm_.size())));
  check_petsc(MatPartitioningApply(made.partitioning, &made.owners));
  const PetscInt* owners = nullptr;
  check_petsc(ISGetIndices(made.owners, &owners));
  std::vector<std::uint32_t> out(owners, owners + rows.size());
  check_petsc(ISRestoreIndices(made.owners, &owners));
  return out;
}

}  // namespace cone::mpi
