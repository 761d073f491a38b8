#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "cone/error.hpp"

#include "distributed/shared_memory.hpp"
#include "exec/statistics.hpp"

namespace cone::distributed {

/// Faults known to all ranks: every rank throws the same error.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// The ranks of a communicator. Functions are collective: every rank calls them in the same order.
/// The order of summation depends on the number of ranks, so results for different numbers of ranks
/// differ by rounding.
class Ranks : public Communicator {
 public:
  /// `shares_memory`: whether ranks on one host may share memory.
  explicit Ranks(MPI_Comm comm, bool shares_memory = true);

  MPI_Comm comm() const { return comm_; }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  bool is_root() const { return rank_ == 0; }
  /// Number of ranks on this host.
  std::size_t num_on_host() const { return num_on_host_; }

  using Communicator::allreduce;
  void allreduce(std::span<double> values) const override;
  void reduce_scatter(std::span<double> values, std::span<const std::size_t> begins) const override;
  void gather_to(std::size_t rank, std::span<const double> part,
                 std::span<const std::size_t> begins, std::span<double> all) const override;
  void broadcast(std::size_t rank, std::span<double> values) const override;
  void allreduce_lists(std::span<const std::span<double>> lists) const override;
  std::uint64_t allreduce(std::uint64_t value) const;
  using Communicator::allreduce_max;
  void allreduce_max(std::span<double> values) const override;
  std::uint64_t allreduce_max(std::uint64_t value) const;
  /// At most 2³¹ values of all ranks together.
  std::vector<double> allgather(std::span<const double> values) const override;
  /// The sum over the ranks below this one; 0 on rank 0.
  std::uint64_t exclusive_scan(std::uint64_t value) const;

  /// The objects of all ranks, concatenated in rank order, on every rank: for small data.
  template <class T>
  std::vector<T> allgatherv(std::span<const T> own) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> out;
    gather_bytes(std::as_bytes(own), [&](std::size_t num_bytes) {
      out.resize(num_bytes / sizeof(T));
      return std::as_writable_bytes(std::span(out));
    });
    return out;
  }
  template <class T>
  std::vector<T> allgatherv(const std::vector<T>& own) const {
    return allgatherv(std::span<const T>(own));
  }
  /// One element per rank.
  std::vector<std::string> allgather(const std::string& text) const;
  std::vector<std::uint64_t> allgather(std::uint64_t value) const;

  /// parts[r] goes to rank r; the result has one part per sending rank.
  template <class T>
  std::vector<std::vector<T>> alltoallv(const std::vector<std::vector<T>>& parts) const {
    return alltoallv_parts(parts, [](std::size_t) {});
  }
  /// The same; the memory of every part is freed as soon as it is sent.
  template <class T>
  std::vector<std::vector<T>> alltoallv(std::vector<std::vector<T>>&& parts) const {
    return alltoallv_parts(parts, [&](std::size_t to) { parts[to] = {}; });
  }

  /// Calls work() on one rank after the other. Every rank starts from the `state` that the rank
  /// before it left, rank 0 from its own; at the end all ranks have the state of the last one.
  template <class Work>
  void run_in_rank_order(std::span<std::byte> state, const Work& work) const {
    receive_state(state);
    work();
    pass_state(state);
  }

  void barrier() const override;
  int count_cores_for(std::size_t num_busy) const override;

  /// Throws a CollectiveError with the faults of all ranks, if there are any.
  void throw_if_any(const FaultList& faults, ErrorCode code) const;

  /// What this rank sent, the number of collective operations and the time spent in them.
  struct Traffic {
    std::uint64_t num_bytes = 0;
    std::uint64_t num_calls = 0;
    double seconds = 0;
  };
  SharedMemory& shared_memory() const { return shared_memory_; }
  const Traffic& traffic() const { return traffic_; }
  void count_traffic(std::uint64_t num_bytes, double seconds) const;

 private:
  template <class T, class Release>
  std::vector<std::vector<T>> alltoallv_parts(const std::vector<std::vector<T>>& parts,
                                              const Release& release) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::uint64_t> sizes;
    for (const std::vector<T>& part : parts) sizes.push_back(part.size() * sizeof(T));
    const std::vector<std::uint64_t> incoming = alltoall_sizes(sizes);
    std::vector<std::vector<T>> out(size_);
    for (std::size_t step = 0; step < size_; ++step) {
      const std::size_t to = (rank_ + step) % size_;
      const std::size_t from = (rank_ + size_ - step) % size_;
      out[from].resize(incoming[from] / sizeof(T));
      send_and_receive(to, std::as_bytes(std::span(parts[to])), from,
                       std::as_writable_bytes(std::span(out[from])));
      release(to);
    }
    return out;
  }
  template <class Allocate>
  void gather_bytes(std::span<const std::byte> own, const Allocate& allocate) const {
    const std::vector<std::uint64_t> sizes = allgather(std::uint64_t{own.size()});
    std::uint64_t total = 0;
    for (const std::uint64_t size : sizes) total += size;
    gather_bytes_into(own, sizes, allocate(total));
  }
  void gather_bytes_into(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                         std::span<std::byte> all) const;
  std::vector<std::uint64_t> alltoall_sizes(std::span<const std::uint64_t> sizes) const;
  void send_and_receive(std::size_t to, std::span<const std::byte> sent, std::size_t from,
                        std::span<std::byte> received) const;

  void allreduce_short(std::span<double> values) const;
  void allreduce_long(std::span<double> values) const;
  /// Reduce-scatter: every rank gets the sums of its own part.
  void reduce_parts(std::span<double> values, std::span<const std::size_t> begins) const;
  void reduce_in_shared_memory(std::span<double> values, std::span<const std::size_t> begins,
                               std::size_t count) const;
  void reduce_by_messages(std::span<double> values, std::span<const std::size_t> begins,
                          std::size_t count) const;
  void receive_state(std::span<std::byte> state) const;
  void pass_state(std::span<std::byte> state) const;

  MPI_Comm comm_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  std::size_t num_on_host_ = 1;
  mutable Traffic traffic_;
  mutable SharedMemory shared_memory_;
};

}  // namespace cone::distributed
