#include "distributed/ghosts.hpp"

#include <vector>

#include <petscsf.h>

#include "base/stopwatch.hpp"
#include "distributed/petsc_checks.hpp"

namespace cone::distributed {

struct Ghosts::Forest {
  PetscSF sf = nullptr;

  Forest() = default;
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;
  ~Forest() { PetscSFDestroy(&sf); }
};

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::span<const RemotePlace> ghosts)
    : Ghosts(ranks, num_owned, ghosts.size(), {}, ghosts) {}

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::size_t num_ghosts,
               std::span<const std::uint32_t> positions, std::span<const RemotePlace> ghosts)
    : ranks_(&ranks),
      num_owned_(num_owned),
      num_ghosts_(num_ghosts),
      num_fetched_(ghosts.size()),
      forest_(std::make_shared<Forest>()) {
  std::vector<PetscSFNode> roots;
  roots.reserve(ghosts.size());
  for (const RemotePlace& ghost : ghosts) {
    roots.push_back({to_petsc(ghost.rank), to_petsc(ghost.place)});
  }
  std::vector<PetscInt> leaves(positions.begin(), positions.end());
  const bool is_whole = num_ghosts == ghosts.size();  // rows that lie in a row need no list
  check_petsc(PetscSFCreate(ranks.comm(), &forest_->sf));
  // Rows are counted in 32 bits in our own lists too.
  to_petsc(num_owned + num_ghosts);
  check_petsc(PetscSFSetGraph(forest_->sf, to_petsc(num_owned), to_petsc(ghosts.size()),
                              is_whole ? nullptr : leaves.data(), PETSC_COPY_VALUES, roots.data(),
                              PETSC_COPY_VALUES));
  check_petsc(PetscSFSetUp(forest_->sf));
}

void Ghosts::update(Matrix<double>& table) const {
  require(table.rows() == num_rows(), "ghosts: a table of other rows");
  if (table.cols() == 0) return;
  const Stopwatch watch;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(table.cols()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* const ghosts = table.data() + num_owned_ * table.cols();
  check_petsc(PetscSFBcastBegin(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  MPI_Type_free(&row);
  ranks_->count_traffic(num_fetched_ * table.cols() * sizeof(double), watch.seconds());
}

}  // namespace cone::distributed
