#include "mpi/mpi_ghosts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <petscsf.h>

#include "cone/context.hpp"

#include "mpi/petsc_checks.hpp"

namespace cone::mpi {

struct MpiGhosts::Forest {
  PetscSF sf = nullptr;

  Forest() = default;
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;
  ~Forest() { PetscSFDestroy(&sf); }

  /// `ghost_rows`: positions of the leaves; empty where they are contiguous.
  void build(MPI_Comm comm, std::size_t num_owned, std::span<const std::uint32_t> ghost_rows,
             std::span<const RemoteRow> remote) {
    std::vector<PetscSFNode> roots;
    roots.reserve(remote.size());
    for (const RemoteRow& at : remote) {
      roots.push_back({to_petsc(at.rank), to_petsc(at.row)});
    }
    std::vector<PetscInt> leaves(ghost_rows.begin(), ghost_rows.end());
    check_petsc(PetscSFCreate(comm, &sf));
    check_petsc(PetscSFSetGraph(sf, to_petsc(num_owned), to_petsc(remote.size()),
                                leaves.empty() ? nullptr : leaves.data(), PETSC_COPY_VALUES,
                                roots.data(), PETSC_COPY_VALUES));
    check_petsc(PetscSFSetUp(sf));
  }
};

MpiGhosts::MpiGhosts(const MpiCommunicator& comm, const GhostLayout& layout)
    : comm_(comm),
      num_owned_(layout.num_owned),
      num_ghosts_(layout.num_ghosts),
      first_row_(comm.allgather(std::uint64_t{layout.num_owned})),
      remote_(layout.remote.begin(), layout.remote.end()),
      forest_(std::make_unique<Forest>()) {
  to_petsc(num_rows());  // throws where 32 bits are too few, as in our own lists
  // Contiguous rows need no list.
  if (num_ghosts_ != remote_.size()) {
    ghost_rows_.assign(layout.ghost_of.begin(), layout.ghost_of.end());
  }
  first_row_.push_back(0);
  std::exclusive_scan(first_row_.begin(), first_row_.end(), first_row_.begin(), std::uint64_t{0});
  shares_all_ = num_global_rows() <= std::numeric_limits<std::uint32_t>::max() &&
                comm.shared_memory().reserve(num_global_rows());
}

MpiGhosts::~MpiGhosts() = default;

std::optional<MatrixView<const double>> MpiGhosts::publish(MatrixView<const double> own) const {
  SharedMemory& memory = comm_.shared_memory();
  const std::size_t width = own.cols();
  if (!memory.reserve(num_global_rows() * width)) return {};
  double* const all = memory.next_buffer();
  std::copy_n(own.data(), num_owned_ * width, all + first_row_[comm_.rank()] * width);
  memory.finish_writing();
  return MatrixView<const double>(all, num_global_rows(), width);
}

void MpiGhosts::send_by_forest(Matrix<double>& table) const {
  if (forest_->sf == nullptr) forest_->build(comm_.comm(), num_owned_, ghost_rows_, remote_);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(table.cols()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* const ghosts = table.data() + num_owned_ * table.cols();
  check_petsc(PetscSFBcastBegin(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  MPI_Type_free(&row);
}

void MpiGhosts::count_rows(std::size_t width, double seconds) const {
  comm_.count_traffic(remote_.size() * width * sizeof(double), seconds);
}

void MpiGhosts::fetch(Matrix<double>& table) const {
  require(table.rows() == num_rows(), "ghosts: wrong number of rows");
  if (table.cols() == 0) return;
  const Stopwatch watch;
  const MatrixView<const double> own(table.data(), num_owned_, table.cols());
  if (const auto all = publish(own)) {
    for (std::size_t k = 0; k < remote_.size(); ++k) {
      std::ranges::copy(all->row(global_row_of(k)), table.row(num_owned_ + row_of(k)).begin());
    }
  } else {
    send_by_forest(table);
  }
  count_rows(table.cols(), watch.seconds());
}

std::vector<std::uint32_t> MpiGhosts::map_rows() const {
  if (!shares_all_) return {};
  std::vector<std::uint32_t> out(num_rows());
  std::iota(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(num_owned_),
            static_cast<std::uint32_t>(first_row_[comm_.rank()]));
  for (std::size_t k = 0; k < remote_.size(); ++k) {
    out[num_owned_ + row_of(k)] = static_cast<std::uint32_t>(global_row_of(k));
  }
  return out;
}

GhostedTable MpiGhosts::with_ghosts(MatrixView<const double> own) const {
  require(own.rows() == num_owned_ && own.stride() == own.cols(), "ghosts: wrong number of rows");
  const Stopwatch watch;
  if (shares_all_) {
    if (const auto all = publish(own)) {
      count_rows(own.cols(), watch.seconds());
      return GhostedTable(*all);
    }
  }
  auto table = Matrix<double>::unfilled(num_rows(), own.cols());
  std::copy_n(own.data(), num_owned_ * own.cols(), table.data());
  send_by_forest(table);
  count_rows(own.cols(), watch.seconds());
  if (!shares_all_) return GhostedTable(std::move(table));
  // map_rows() promised the layout of shared memory, and this table is too wide for that memory.
  auto all = Matrix<double>::unfilled(num_global_rows(), own.cols());
  const std::vector<std::uint32_t> row_in_all = map_rows();
  for (std::size_t row = 0; row < row_in_all.size(); ++row) {
    std::ranges::copy(table.row(row), all.row(row_in_all[row]).begin());
  }
  return GhostedTable(std::move(all));
}

}  // namespace cone::mpi
