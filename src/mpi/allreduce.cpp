#include <algorithm>
#include <vector>

#include "cone/context.hpp"

#include "mpi/mpi_communicator.hpp"

// Sums are accumulated in rank order, so their digits are the same in shared memory and by
// messages. A long allreduce is a reduce-scatter followed by an allgather.

namespace cone::mpi {
namespace {

/// Values and bytes per MPI call, whose counts are of type int.
constexpr std::size_t kMaxPerCall = std::size_t{1} << 27;
constexpr std::size_t kMaxBytesPerCall = sizeof(double) * kMaxPerCall;
/// Up to this length every rank computes all sums.
constexpr std::size_t kShort = 64;
/// Values in flight at a time: they stay in the cache.
constexpr std::size_t kInFlight = std::size_t{1} << 20;
constexpr std::size_t kMinPerPiece = 64;
/// Up to this length the result is allgathered in shared memory.
constexpr std::size_t kMaxShared = std::size_t{1} << 22;

/// Piece [first, first + count) of a rank's part.
std::span<double> piece_of(std::span<double> values, std::span<const std::size_t> begins,
                           std::size_t rank, std::size_t first, std::size_t count) {
  const std::size_t begin = std::min(begins[rank] + first, begins[rank + 1]);
  return values.subspan(begin, std::min(count, begins[rank + 1] - begin));
}

std::size_t find_longest(std::span<const std::size_t> begins) {
  std::size_t longest = 0;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    longest = std::max(longest, begins[r + 1] - begins[r]);
  }
  return longest;
}

/// Sums a piece over all ranks; rank r's values begin at from + r · step.
void add_pieces(const double* from, std::size_t step, std::size_t num_ranks,
                std::span<double> sums) {
  std::copy_n(from, sums.size(), sums.begin());
  for (std::size_t r = 1; r < num_ranks; ++r) {
    const double* piece = from + r * step;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += piece[k];
  }
}

std::vector<int> to_ints(std::span<const std::size_t> values) {
  return {values.begin(), values.end()};
}

std::vector<int> count_parts(std::span<const std::size_t> begins) {
  std::vector<int> out;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    out.push_back(static_cast<int>(begins[r + 1] - begins[r]));
  }
  return out;
}

}  // namespace

void MpiCommunicator::do_allreduce(std::span<double> values) const {
  const Stopwatch watch;
  if (values.size() <= kShort) {
    allreduce_short(values);
  } else {
    for (std::size_t first = 0; first < values.size(); first += kMaxPerCall) {
      allreduce_long(values.subspan(first, std::min(kMaxPerCall, values.size() - first)));
    }
  }
  count_traffic(values.size_bytes(), watch.seconds());
}

/// Every rank computes all sums.
void MpiCommunicator::allreduce_short(std::span<double> values) const {
  if (shared_memory_.reserve(values.size() * size_)) {
    double* const buffer = shared_memory_.next_buffer();
    std::ranges::copy(values, buffer + rank_ * values.size());
    shared_memory_.finish_writing();
    add_pieces(buffer, values.size(), size_, values);
    return;
  }
  std::vector<double> all(values.size() * size_);
  const auto count = static_cast<int>(values.size());
  MPI_Allgather(values.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm_);
  add_pieces(all.data(), values.size(), size_, values);
}

void MpiCommunicator::allreduce_long(std::span<double> values) const {
  std::vector<std::size_t> begins;
  for (std::size_t r = 0; r <= size_; ++r) begins.push_back(values.size() * r / size_);
  reduce_parts(values, begins);
  if (values.size() <= kMaxShared && shared_memory_.reserve(values.size())) {
    double* const buffer = shared_memory_.next_buffer();
    std::copy_n(values.data() + begins[rank_], begins[rank_ + 1] - begins[rank_],
                buffer + begins[rank_]);
    shared_memory_.finish_writing();
    std::copy_n(buffer, values.size(), values.begin());
    return;
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values.data(), count_parts(begins).data(),
                 to_ints(begins).data(), MPI_DOUBLE, comm_);
}

void MpiCommunicator::do_reduce_scatter(std::span<double> values,
                                        std::span<const std::size_t> begins) const {
  const Stopwatch watch;
  reduce_parts(values, begins);
  count_traffic(values.size_bytes(), watch.seconds());
}

void MpiCommunicator::reduce_parts(std::span<double> values,
                                   std::span<const std::size_t> begins) const {
  const std::size_t longest = find_longest(begins);
  const std::size_t count = std::min(longest, std::max(kMinPerPiece, kInFlight / (size_ * size_)));
  if (shared_memory_.reserve(count * size_ * size_)) {
    reduce_in_shared_memory(values, begins, count);
  } else {
    reduce_by_messages(values, begins,
                       std::min(longest, std::max(kMinPerPiece, kInFlight / size_)));
  }
}

/// Reduces `count` values of every part at a time.
void MpiCommunicator::reduce_in_shared_memory(std::span<double> values,
                                              std::span<const std::size_t> begins,
                                              std::size_t count) const {
  const std::size_t longest = find_longest(begins);
  for (std::size_t first = 0; first < longest; first += count) {
    double* const buffer = shared_memory_.next_buffer();
    for (std::size_t step = 0; step < size_; ++step) {
      const std::size_t to = (rank_ + step) % size_;  // start at different parts: no contention
      std::ranges::copy(piece_of(values, begins, to, first, count),
                        buffer + (to * size_ + rank_) * count);
    }
    shared_memory_.finish_writing();
    add_pieces(buffer + rank_ * size_ * count, count, size_,
               piece_of(values, begins, rank_, first, count));
  }
}

/// The same by MPI_Alltoallv.
void MpiCommunicator::reduce_by_messages(std::span<double> values,
                                         std::span<const std::size_t> begins,
                                         std::size_t count) const {
  const std::size_t longest = find_longest(begins);
  std::vector<double> received(count * size_);
  std::vector<int> sizes(size_);
  std::vector<int> positions(size_);
  std::vector<int> own_positions(size_);
  for (std::size_t first = 0; first < longest; first += count) {
    const std::span<double> own = piece_of(values, begins, rank_, first, count);
    for (std::size_t r = 0; r < size_; ++r) {
      const std::span<double> piece = piece_of(values, begins, r, first, count);
      sizes[r] = static_cast<int>(piece.size());
      positions[r] = static_cast<int>(piece.data() - values.data());
      own_positions[r] = static_cast<int>(r * own.size());
    }
    const std::vector<int> own_sizes(size_, static_cast<int>(own.size()));
    MPI_Alltoallv(values.data(), sizes.data(), positions.data(), MPI_DOUBLE, received.data(),
                  own_sizes.data(), own_positions.data(), MPI_DOUBLE, comm_);
    add_pieces(received.data(), own.size(), size_, own);
  }
}

void MpiCommunicator::do_gather(std::size_t rank, std::span<const double> part,
                                std::span<const std::size_t> begins, std::span<double> all) const {
  const Stopwatch watch;
  MPI_Gatherv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, all.data(),
              count_parts(begins).data(), to_ints(begins).data(), MPI_DOUBLE,
              static_cast<int>(rank), comm_);
  count_traffic(rank == rank_ ? 0 : part.size_bytes(), watch.seconds());
}

void MpiCommunicator::do_broadcast(std::size_t root, std::span<std::byte> values) const {
  const Stopwatch watch;
  for (std::size_t first = 0; first < values.size(); first += kMaxBytesPerCall) {
    const std::size_t count = std::min(values.size() - first, kMaxBytesPerCall);
    MPI_Bcast(values.data() + first, static_cast<int>(count), MPI_BYTE, static_cast<int>(root),
              comm_);
  }
  count_traffic(root == rank_ ? values.size_bytes() : 0, watch.seconds());
}

}  // namespace cone::mpi
