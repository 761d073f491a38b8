#include <algorithm>
#include <numeric>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

/// Ghost rows by alltoallv: their owners send the rows that other ranks asked for when they were
/// connected.
class SentGhosts : public GhostRows {
 public:
  SentGhosts(const Communicator& comm, const GhostLayout& layout)
      : comm_(comm),
        num_owned_(layout.num_owned),
        num_ghosts_(layout.num_ghosts),
        ghost_of_(layout.ghost_of.begin(), layout.ghost_of.end()) {
    std::vector<std::vector<std::uint64_t>> wanted(comm.size());
    for (const RemoteRow& at : layout.remote) {
      wanted[at.rank].push_back(at.row);
      owner_.push_back(static_cast<std::uint32_t>(at.rank));
    }
    rows_for_ = comm.alltoallv(std::move(wanted));
  }

  bool is_distributed() const override { return true; }
  void fetch(Matrix<double>& table) const override {
    require(table.rows() == num_owned_ + num_ghosts_, "ghost rows: wrong number of rows");
    const std::size_t width = table.cols();
    std::vector<std::vector<double>> parts(comm_.size());
    for (std::size_t to = 0; to < parts.size(); ++to) {
      parts[to].reserve(rows_for_[to].size() * width);
      for (const std::uint64_t row : rows_for_[to]) {
        parts[to].insert(parts[to].end(), table.row(row).begin(), table.row(row).end());
      }
    }
    const auto received = comm_.alltoallv(std::move(parts));
    std::vector<std::size_t> next(comm_.size(), 0);
    for (std::size_t k = 0; k < owner_.size(); ++k) {
      const std::size_t ghost = ghost_of_.empty() ? k : ghost_of_[k];
      const std::size_t from = owner_[k];
      std::copy_n(received[from].begin() + static_cast<std::ptrdiff_t>(next[from]), width,
                  table.row(num_owned_ + ghost).begin());
      next[from] += width;
    }
  }
  GhostedTable with_ghosts(MatrixView<const double> own) const override {
    require(own.rows() == num_owned_ && own.stride() == own.cols(),
            "ghost rows: wrong number of rows");
    auto table = Matrix<double>::unfilled(num_owned_ + num_ghosts_, own.cols());
    std::copy_n(own.data(), num_owned_ * own.cols(), table.data());
    fetch(table);
    return GhostedTable(std::move(table));
  }

 private:
  const Communicator& comm_;
  std::size_t num_owned_;
  std::size_t num_ghosts_;
  std::vector<std::uint32_t> ghost_of_;
  std::vector<std::uint32_t> owner_;                  ///< of every row to fetch
  std::vector<std::vector<std::uint64_t>> rows_for_;  ///< own rows that each rank wants
};

}  // namespace

const Communicator& Communicator::self() {
  static const Communicator one_process;
  return one_process;
}

std::uint64_t Communicator::allreduce(std::uint64_t value) const {
  const std::vector<std::uint64_t> all = allgather(value);
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

std::uint64_t Communicator::allreduce_max(std::uint64_t value) const {
  return std::ranges::max(allgather(value));
}

std::uint64_t Communicator::exclusive_scan(std::uint64_t value) const {
  const std::vector<std::uint64_t> all = allgather(value);
  return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank()),
                         std::uint64_t{0});
}

void Communicator::allreduce_lists(std::span<const std::span<double>> lists) const {
  if (!has_others()) return;
  if (lists.size() == 1) {
    do_allreduce(lists.front());
    return;
  }
  std::vector<double> all;
  for (const std::span<double> list : lists) all.insert(all.end(), list.begin(), list.end());
  do_allreduce(all);
  auto next = all.begin();
  for (const std::span<double> list : lists) {
    std::copy_n(next, list.size(), list.begin());
    next += static_cast<std::ptrdiff_t>(list.size());
  }
}

void Communicator::gather(std::size_t root, std::span<const double> part,
                          std::span<const std::size_t> begins, std::span<double> all) const {
  if (has_others()) {
    do_gather(root, part, begins, all);
  } else {
    std::ranges::copy(part, all.begin());
  }
}

std::vector<std::uint64_t> Communicator::allgather(std::uint64_t value) const {
  if (!has_others()) return {value};
  std::vector<std::uint64_t> all(size());
  do_allgatherv(std::as_bytes(std::span(&value, 1)),
                std::vector<std::uint64_t>(size(), sizeof value),
                std::as_writable_bytes(std::span(all)));
  return all;
}

std::vector<std::string> Communicator::allgather(const std::string& text) const {
  const std::vector<std::uint64_t> sizes = allgather(std::uint64_t{text.size()});
  const std::vector<char> all = allgatherv(text);
  std::vector<std::string> out;
  auto next = all.begin();
  for (const std::uint64_t size : sizes) {
    out.emplace_back(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  return out;
}

std::unique_ptr<GhostRows> Communicator::connect_ghosts(const GhostLayout& layout) const {
  if (!has_others()) return std::make_unique<GhostRows>();
  return std::make_unique<SentGhosts>(*this, layout);
}

void Communicator::do_gather(std::size_t root, std::span<const double> part,
                             std::span<const std::size_t> begins, std::span<double> all) const {
  std::vector<std::span<const std::byte>> parts(size());
  parts[root] = std::as_bytes(part);
  do_alltoallv(
      parts,
      [&](std::size_t from, std::size_t num_bytes) {
        if (num_bytes == 0) return std::span<std::byte>();  // not the root
        return std::as_writable_bytes(all.subspan(begins[from], num_bytes / sizeof(double)));
      },
      [](std::size_t) {});
}

void Communicator::do_alltoallv(std::span<const std::span<const std::byte>> parts,
                                const Allocate& allocate, const Release& release) const {
  require(parts.size() == 1, "communicator: one part per rank");
  std::ranges::copy(parts.front(), allocate(0, parts.front().size()).begin());
  release(0);
}

}  // namespace cone
