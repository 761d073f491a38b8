#include "mpi/mpi_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include "cone/context.hpp"
#include "cone/text.hpp"

#include "data/collective_error.hpp"
#include "mpi/mpi_ghosts.hpp"

namespace cone::mpi {
namespace {

/// Values and bytes per call: MPI counts are of type int.
constexpr std::size_t kMostValuesAtATime = std::size_t{1} << 27;
constexpr std::size_t kMostBytesAtATime = std::size_t{1} << 30;

int to_int(std::size_t count) {
  require(count <= std::size_t{std::numeric_limits<int>::max()}, "MPI: a table is too large");
  return static_cast<int>(count);
}

/// The begins of the parts, and their sizes.
std::pair<std::vector<int>, std::vector<int>> describe_parts(std::span<const std::size_t> begins) {
  std::vector<int> first;
  std::vector<int> count;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    first.push_back(to_int(begins[r]));
    count.push_back(to_int(begins[r + 1] - begins[r]));
  }
  return {std::move(first), std::move(count)};
}

std::size_t count_by(int (*ask)(MPI_Comm, int*), MPI_Comm comm) {
  int count = 0;
  ask(comm, &count);
  return static_cast<std::size_t>(count);
}

/// Ranks on this host.
std::size_t count_on_host(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const std::size_t count = count_by(MPI_Comm_size, host);
  MPI_Comm_free(&host);
  return count;
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm comm)
    : comm_(comm),
      rank_(count_by(MPI_Comm_rank, comm)),
      size_(count_by(MPI_Comm_size, comm)),
      num_on_host_(count_on_host(comm)) {}

void MpiCommunicator::count_traffic(std::uint64_t num_bytes, double seconds) const {
  traffic_.num_bytes += num_bytes;
  traffic_.seconds += seconds;
  ++traffic_.num_calls;
}

void MpiCommunicator::do_allreduce(std::span<double> values) const {
  const Stopwatch watch;
  for (std::size_t first = 0; first < values.size(); first += kMostValuesAtATime) {
    MPI_Allreduce(MPI_IN_PLACE, values.data() + first,
                  to_int(std::min(values.size() - first, kMostValuesAtATime)), MPI_DOUBLE, MPI_SUM,
                  comm_);
  }
  count_traffic(values.size_bytes(), watch.seconds());
}

void MpiCommunicator::do_reduce_scatter(std::span<double> values,
                                        std::span<const std::size_t> begins) const {
  const Stopwatch watch;
  std::vector<double> sums(begins[rank_ + 1] - begins[rank_]);
  MPI_Reduce_scatter(values.data(), sums.data(), describe_parts(begins).second.data(), MPI_DOUBLE,
                     MPI_SUM, comm_);
  std::ranges::copy(sums, values.begin() + static_cast<std::ptrdiff_t>(begins[rank_]));
  count_traffic(values.size_bytes(), watch.seconds());
}

void MpiCommunicator::do_gather(std::size_t root, std::span<const double> part,
                                std::span<const std::size_t> begins, std::span<double> all) const {
  const Stopwatch watch;
  const auto [first, count] = describe_parts(begins);
  MPI_Gatherv(part.data(), to_int(part.size()), MPI_DOUBLE, all.data(), count.data(), first.data(),
              MPI_DOUBLE, static_cast<int>(root), comm_);
  count_traffic(root == rank_ ? 0 : part.size_bytes(), watch.seconds());
}

void MpiCommunicator::do_broadcast(std::size_t root, std::span<std::byte> values) const {
  const Stopwatch watch;
  for (std::size_t first = 0; first < values.size(); first += kMostBytesAtATime) {
    MPI_Bcast(values.data() + first, to_int(std::min(values.size() - first, kMostBytesAtATime)),
              MPI_BYTE, static_cast<int>(root), comm_);
  }
  count_traffic(root == rank_ ? values.size_bytes() : 0, watch.seconds());
}

void MpiCommunicator::do_allreduce_max(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                comm_);
}

void MpiCommunicator::do_allgatherv(std::span<const std::byte> own,
                                    std::span<const std::uint64_t> sizes,
                                    std::span<std::byte> all) const {
  // Counts are of type int, so numbers of eight bytes are counted as such.
  const bool has_eights =
      std::ranges::all_of(sizes, [](std::uint64_t size) { return size % sizeof(double) == 0; });
  const std::size_t unit = has_eights ? sizeof(double) : 1;
  if (all.size() / unit > std::size_t{std::numeric_limits<int>::max()}) {
    throw CollectiveError(
        ErrorCode::kData,
        {{},
         fmt::format("an allgather of {} bytes exceeds MPI's limit of {}", grouped(all.size()),
                     grouped(unit * std::numeric_limits<int>::max())),
         "use fewer ranks or fewer count features"});
  }
  const Stopwatch watch;
  std::vector<int> counts;
  for (const std::uint64_t size : sizes) counts.push_back(static_cast<int>(size / unit));
  std::vector<int> begins(size_, 0);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  const MPI_Datatype type = has_eights ? MPI_DOUBLE : MPI_BYTE;
  MPI_Allgatherv(own.data(), counts[rank_], type, all.data(), counts.data(), begins.data(), type,
                 comm_);
  count_traffic(own.size() * (size_ - 1), watch.seconds());
}

void MpiCommunicator::do_alltoallv(std::span<const std::span<const std::byte>> parts,
                                   const Allocate& allocate, const Release& release) const {
  require(parts.size() == size_, "communicator: one part per rank");
  std::vector<std::uint64_t> sizes;
  for (const std::span<const std::byte> part : parts) sizes.push_back(part.size());
  std::vector<std::uint64_t> incoming(size_);
  MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, incoming.data(), 1, MPI_UINT64_T, comm_);
  for (std::size_t step = 0; step < size_; ++step) {
    const std::size_t to = (rank_ + step) % size_;
    const std::size_t from = (rank_ + size_ - step) % size_;
    send_and_receive(to, parts[to], from, allocate(from, incoming[from]));
    release(to);
  }
}

void MpiCommunicator::send_and_receive(std::size_t to, std::span<const std::byte> sent,
                                       std::size_t from, std::span<std::byte> received) const {
  if (to == rank_) {
    std::memcpy(received.data(), sent.data(), sent.size());
    return;
  }
  const Stopwatch watch;
  // No message where the size is 0: the receiver knows the sizes.
  std::vector<MPI_Request> requests;
  for (std::size_t at = 0; at < received.size(); at += kMostBytesAtATime) {
    const auto count = static_cast<int>(std::min(received.size() - at, kMostBytesAtATime));
    MPI_Irecv(received.data() + at, count, MPI_BYTE, static_cast<int>(from), 0, comm_,
              &requests.emplace_back());
  }
  for (std::size_t at = 0; at < sent.size(); at += kMostBytesAtATime) {
    const auto count = static_cast<int>(std::min(sent.size() - at, kMostBytesAtATime));
    MPI_Isend(sent.data() + at, count, MPI_BYTE, static_cast<int>(to), 0, comm_,
              &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  count_traffic(sent.size(), watch.seconds());
}

void MpiCommunicator::do_barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &request);
  int is_done = 0;
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  while (is_done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
}

int MpiCommunicator::count_cores_for(std::size_t num_busy) const {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  const auto cores = std::min(num_on_host_, static_cast<std::size_t>(CPU_COUNT(&allowed)));
  return static_cast<int>(
      std::max<std::size_t>(1, cores / std::clamp<std::size_t>(num_busy, 1, num_on_host_)));
}

std::unique_ptr<GhostRows> MpiCommunicator::connect_ghosts(const GhostLayout& layout) const {
  return std::make_unique<MpiGhosts>(*this, layout);
}

}  // namespace cone::mpi
