#include "distributed/ghosts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
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
            std::span<const RemotePosition> positions) {
    std::vector<PetscSFNode> roots;
    roots.reserve(positions.size());
    for (const RemotePosition& position : positions) {
      roots.push_back({to_petsc(position.rank), to_petsc(position.position)});
    }
    std::vector<PetscInt> leaves(positions.begin(), positions.end());
    check_petsc(PetscSFCreate(ranks.comm(), &sf));
    check_petsc(PetscSFSetGraph(sf, to_petsc(num_owned), to_petsc(positions.size()),
                                leaves.empty() ? nullptr : leaves.data(), PETSC_COPY_VALUES,
                                roots.data(), PETSC_COPY_VALUES));
    check_petsc(PetscSFSetUp(sf));
  }
};

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::span<const RemotePosition> ghosts)
    : Ghosts(ranks, num_owned, ghosts.size(), {}, ghosts) {}

Ghosts::Ghosts(const Ranks& ranks, std::size_t num_owned, std::size_t num_ghosts,
               std::span<const std::uint32_t> positions, std::span<const RemotePosition> ghosts)
    : ranks_(&ranks),
      num_owned_(num_owned),
      num_ghosts_(num_ghosts),
      first_row_(ranks.gather(std::uint64_t{num_owned})),
      positions_(ghosts.begin(), ghosts.end()),
      forest_(std::make_shared<Forest>()) {
  to_petsc(num_owned + num_ghosts);  // rows are counted in 32 bits in our own lists too
  // Rows that lie in a row need no list.
  if (num_ghosts != ghosts.size()) positions_.assign(positions.begin(), positions.end());
  first_row_.push_back(0);
  std::exclusive_scan(first_row_.begin(), first_row_.end(), first_row_.begin(), std::uint64_t{0});
  shows_all_ = num_rows_of_all() <= std::numeric_limits<std::uint32_t>::max() &&
               ranks.shared_memory().reserve(num_rows_of_all());
}

std::optional<MatrixView<const double>> Ghosts::show(MatrixView<const double> own) const {
  SharedMemory& memory = ranks_->shared_memory();
  const std::size_t width = own.cols();
  if (!memory.reserve(num_rows_of_all() * width)) return {};
  double* const all = memory.begin_turn();
  std::copy_n(own.data(), num_owned_ * width, all + first_row_[ranks_->rank()] * width);
  memory.finish_writing();
  return MatrixView<const double>(all, num_rows_of_all(), width);
}

void Ghosts::send_by_forest(Matrix<double>& table) const {
  if (forest_->sf == nullptr) forest_->grow(*ranks_, num_owned_, positions_, positions_);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(table.cols()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* const ghosts = table.data() + num_owned_ * table.cols();
  check_petsc(PetscSFBcastBegin(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(forest_->sf, row, table.data(), ghosts, MPI_REPLACE));
  MPI_Type_free(&row);
}

void Ghosts::count_rows(std::size_t width, double seconds) const {
  ranks_->count_traffic(positions_.size() * width * sizeof(double), seconds);
}

void Ghosts::update(Matrix<double>& table) const {
  require(table.rows() == num_rows(), "ghosts: a table of other rows");
  if (table.cols() == 0) return;
  const Stopwatch watch;
  const MatrixView<const double> own(table.data(), num_owned_, table.cols());
  if (const auto all = show(own)) {
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      std::ranges::copy(all->row(row_of_all(k)), table.row(num_owned_ + row_of(k)).begin());
    }
  } else {
    send_by_forest(table);
  }
  count_rows(table.cols(), watch.seconds());
}

std::vector<std::uint32_t> Ghosts::map_rows() const {
  if (!shows_all_) return {};
  std::vector<std::uint32_t> out(num_rows());
  std::iota(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(num_owned_),
            static_cast<std::uint32_t>(first_row_[ranks_->rank()]));
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    out[num_owned_ + row_of(k)] = static_cast<std::uint32_t>(row_of_all(k));
  }
  return out;
}

SeenTable Ghosts::see(MatrixView<const double> own) const {
  require(own.rows() == num_owned_ && own.stride() == own.cols(), "ghosts: a table of other rows");
  const Stopwatch watch;
  if (shows_all_) {
    if (const auto all = show(own)) {
      count_rows(own.cols(), watch.seconds());
      return SeenTable(*all);
    }
  }
  auto table = Matrix<double>::unfilled(num_rows(), own.cols());
  std::copy_n(own.data(), num_owned_ * own.cols(), table.data());
  send_by_forest(table);
  count_rows(own.cols(), watch.seconds());
  if (!shows_all_) return SeenTable(std::move(table));
  // Rows were promised where shared memory would have them, and this table is too wide for it.
  auto all = Matrix<double>::unfilled(num_rows_of_all(), own.cols());
  const std::vector<std::uint32_t> seen_at = map_rows();
  for (std::size_t row = 0; row < seen_at.size(); ++row) {
    std::ranges::copy(table.row(row), all.row(seen_at[row]).begin());
  }
  return SeenTable(std::move(all));
}

}  // namespace cone::distributed
