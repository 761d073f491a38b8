#include "mpi/mpi_ghosts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/text.hpp"

namespace cone::mpi {
namespace {

/// PETSc returns an error code after it has printed the reason.
void check_petsc(PetscErrorCode code) { require(code == 0, "PETSc reported an error"); }

/// Converts to PetscInt, which may have 32 bits. Throws Error(kData) where it does not fit.
PetscInt to_petsc(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<PetscInt>::max();
  if (count <= kMost) return static_cast<PetscInt>(count);
  throw Error(
      ErrorCode::kData,
      {{},
       fmt::format("one rank would have {} rows including ghosts, more than this PETSc's limit of "
                   "{}",
                   grouped(count), grouped(kMost)),
       "use more ranks, or a PETSc with 64-bit indices"});
}

}  // namespace

MpiGhosts::MpiGhosts(const MpiCommunicator& comm, const GhostLayout& layout)
    : comm_(comm),
      num_owned_(layout.num_owned),
      num_ghosts_(layout.num_ghosts),
      num_fetched_(layout.remote.size()) {
  to_petsc(num_owned_ + num_ghosts_);  // throws where 32 bits are too few, as in our own lists
  std::vector<PetscSFNode> roots;
  roots.reserve(num_fetched_);
  for (const RemoteRow& at : layout.remote) roots.push_back({to_petsc(at.rank), to_petsc(at.row)});
  std::vector<PetscInt> leaves(layout.ghost_of.begin(), layout.ghost_of.end());
  check_petsc(PetscSFCreate(comm.comm(), &forest_));
  check_petsc(PetscSFSetGraph(forest_, to_petsc(num_owned_), to_petsc(num_fetched_),
                              leaves.empty() ? nullptr : leaves.data(), PETSC_COPY_VALUES,
                              roots.data(), PETSC_COPY_VALUES));
  check_petsc(PetscSFSetUp(forest_));
}

MpiGhosts::~MpiGhosts() { PetscSFDestroy(&forest_); }

void MpiGhosts::fetch(Matrix<double>& table) const {
  require(table.rows() == num_owned_ + num_ghosts_, "ghosts: wrong number of rows");
  if (table.cols() == 0) return;
  const Stopwatch watch;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(table.cols()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* const ghosts = table.data() + num_owned_ * table.cols();
  check_petsc(PetscSFBcastBegin(forest_, row, table.data(), ghosts, MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(forest_, row, table.data(), ghosts, MPI_REPLACE));
  MPI_Type_free(&row);
  comm_.count_traffic(num_fetched_ * table.cols() * sizeof(double), watch.seconds());
}

GhostedTable MpiGhosts::with_ghosts(MatrixView<const double> own) const {
  require(own.rows() == num_owned_ && own.stride() == own.cols(), "ghosts: wrong number of rows");
  auto table = Matrix<double>::unfilled(num_owned_ + num_ghosts_, own.cols());
  std::copy_n(own.data(), num_owned_ * own.cols(), table.data());
  fetch(table);
  return GhostedTable(std::move(table));
}

}  // namespace cone::mpi
