#include "distributed/ghosts.hpp"

#include <algorithm>
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

  /// `positions`: of the leaves; empty where they lie in a row.
  void grow(const Ranks& ranks, std::size_t num_owned, std::span<const std::uint32_t> positions,
            std::span<const RemotePlace> places) {
    std::vector<PetscSFNode> roots;
    roots.reserve(places.size());
    for (const RemotePlace& place : places) {
      roots.push_back({to_petsc(place.rank), to_petsc(place.place)});
    }
    std::vector<PetscInt> leaves(positions.begin(), positions.end());
    check_petsc(PetscSFCreate(ranks.comm(), &sf));
    check_petsc(PetscSFSetGraph(sf, to_petsc(num_owned), to_petsc(places.size()),
                                leaves.empty() ? nullptr : leaves.data(), PETSC_COPY_VALUES,
                                roots.data(), PETSC_COPY_VALUES));
    check_petsc(PetscSFSetUp(sf));
  }
};

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::span<const RemotePlace> ghosts)
    : Ghosts(ranks, num_owned, ghosts.size(), {}, ghosts) {}

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::size_t num_ghosts,
               std::span<const std::uint32_t> positions, std::span<const RemotePlace> ghosts)
    : ranks_(&ranks),
      num_owned_(num_owned),
      num_ghosts_(num_ghosts),
      most_owned_(ranks.find_largest(std::uint64_t{num_owned})),
      places_(ghosts.begin(), ghosts.end()),
      forest_(std::make_shared<Forest>()) {
  to_petsc(num_owned + num_ghosts);  // rows are counted in 32 bits in our own lists too
  // Rows that lie in a row need no list.
  if (num_ghosts != ghosts.size()) positions_.assign(positions.begin(), positions.end());
}

void Ghosts::copy_shared(Matrix<double>& table) const {
  SharedMemory& memory = ranks_->shared_memory();
  const std::size_t width = table.cols();
  std::copy_n(table.data(), num_owned_ * width, memory.begin_turn());
  memory.finish_writing();
  std::size_t rank = ranks_->size();
  const double* part = nullptr;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    if (places_[k].rank != rank) {
      rank = places_[k].rank;
      part = memory.part_of(rank);
    }
    std::copy_n(part + places_[k].place * width, width,
                table.data() + (num_owned_ + row_of(k)) * width);
  }
}

void Ghosts::send_by_forest(Matrix<double>& table) const {
  if (forest_->sf == nullptr) forest_->grow(*ranks_, num_owned_, positions_, places_);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(table.cols()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* const ghosts = table.data() + num_owned_ * table.cols();
  check_petsc(PetscSFBcastBegin(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  MPI_Type_free(&row);
}

void Ghosts::update(Matrix<double>& table) const {
  require(table.rows() == num_rows(), "ghosts: a table of other rows");
  if (table.cols() == 0) return;
  const Stopwatch watch;
  if (ranks_->shared_memory().reserve(most_owned_ * table.cols())) {
    copy_shared(table);
  } else {
    send_by_forest(table);
  }
  ranks_->count_traffic(places_.size() * table.cols() * sizeof(double), watch.seconds());
}

}  // namespace cone::distributed
