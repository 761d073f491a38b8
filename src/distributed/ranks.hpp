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
#include "exec/totals.hpp"

namespace cone::distributed {

/// Faults that all ranks know of: each of them throws it.
class SharedError : public Error {
 public:
  using Error::Error;
};

/// The processes that compute together. Every function must be called by all of them, in the same
/// order. Sums are made in an order that depends on the number of ranks, so results differ between
/// numbers of ranks by rounding.
class Ranks : public Totals {
 public:
  /// `shares_memory`: whether ranks on one machine may share memory.
  explicit Ranks(MPI_Comm comm, bool shares_memory = true);

  MPI_Comm comm() const { return comm_; }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// How many of them are on this machine.
  std::size_t num_here() const { return num_here_; }

  using Totals::allreduce;
  void allreduce(std::span<double> values) const override;
  void reduce_scatter(std::span<double> values, std::span<const std::size_t> begins) const override;
  void gather_to(std::size_t rank, std::span<const double> part,
                 std::span<const std::size_t> begins, std::span<double> all) const override;
  void broadcast(std::size_t rank, std::span<double> values) const override;
  void allreduce_lists(std::span<const std::span<double>> lists) const override;
  std::uint64_t allreduce(std::uint64_t value) const;
  using Totals::allreduce_max;
  void allreduce_max(std::span<double> values) const override;
  std::uint64_t allreduce_max(std::uint64_t value) const;
  /// At most 2³¹ numbers of all ranks together.
  std::vector<double> gather(std::span<const double> values) const override;
  /// The sum over the ranks before this one.
  std::uint64_t exclusive_scan(std::uint64_t value) const;

  /// What all ranks have, in their order, on every rank: for what is small.
  template <class T>
  std::vector<T> allgather(std::span<const T> own) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> out;
    gather_bytes(std::as_bytes(own), [&](std::size_t num_bytes) {
      out.resize(num_bytes / sizeof(T));
      return std::as_writable_bytes(std::span(out));
    });
    return out;
  }
  template <class T>
  std::vector<T> allgather(const std::vector<T>& own) const {
    return allgather(std::span<const T>(own));
  }
  /// One text per rank.
  std::vector<std::string> gather(const std::string& text) const;
  std::vector<std::uint64_t> gather(std::uint64_t value) const;

  /// parts[r] goes to rank r; the result has one part per rank that it came from.
  template <class T>
  std::vector<std::vector<T>> exchange(const std::vector<std::vector<T>>& parts) const {
    return exchange_parts(parts, [](std::size_t) {});
  }
  /// The same, with the memory of every part given back as soon as it is sent.
  template <class T>
  std::vector<std::vector<T>> exchange(std::vector<std::vector<T>>&& parts) const {
    return exchange_parts(parts, [&](std::size_t to) { parts[to] = {}; });
  }

  /// Lets one rank after the other work. `state` is what the rank before it left, and at the end,
  /// on all of them, what the last one left; the first goes on from its own.
  template <class Work>
  void take_turns(std::span<std::byte> state, const Work& work) const {
    receive_turn(state);
    work();
    pass_turn(state);
  }

  void wait_quietly() const override;
  int count_cores_for(std::size_t num_busy) const override;

  /// Throws a SharedError with the faults of all ranks, if there are any.
  void throw_if_any(const FaultList& faults, ErrorCode code) const;

  /// Bytes that this rank sent to others, and how often they waited for each other.
  struct Traffic {
    std::uint64_t num_bytes = 0;
    std::uint64_t num_calls = 0;
    double seconds = 0;
  };
  SharedMemory& shared_memory() const { return shared_memory_; }
  const Traffic& traffic() const { return traffic_; }
  void count_traffic(std::uint64_t num_bytes, double seconds) const;

 private:
  template <class T, class Forget>
  std::vector<std::vector<T>> exchange_parts(const std::vector<std::vector<T>>& parts,
                                             const Forget& forget) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::uint64_t> sizes;
    for (const std::vector<T>& part : parts) sizes.push_back(part.size() * sizeof(T));
    const std::vector<std::uint64_t> incoming = exchange_sizes(sizes);
    std::vector<std::vector<T>> out(size_);
    for (std::size_t step = 0; step < size_; ++step) {
      const std::size_t to = (rank_ + step) % size_;
      const std::size_t from = (rank_ + size_ - step) % size_;
      out[from].resize(incoming[from] / sizeof(T));
      send_and_receive(to, std::as_bytes(std::span(parts[to])), from,
                       std::as_writable_bytes(std::span(out[from])));
      forget(to);
    }
    return out;
  }
  template <class Position>
  void gather_bytes(std::span<const std::byte> own, const Position& position) const {
    const std::vector<std::uint64_t> sizes = gather(std::uint64_t{own.size()});
    std::uint64_t total = 0;
    for (const std::uint64_t size : sizes) total += size;
    gather_bytes_into(own, sizes, position(total));
  }
  void gather_bytes_into(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                         std::span<std::byte> all) const;
  std::vector<std::uint64_t> exchange_sizes(std::span<const std::uint64_t> sizes) const;
  void send_and_receive(std::size_t to, std::span<const std::byte> sent, std::size_t from,
                        std::span<std::byte> received) const;

  void allreduce_short(std::span<double> values) const;
  void allreduce_long(std::span<double> values) const;
  /// Leaves every rank with the sums of its part.
  void deal_sums(std::span<double> values, std::span<const std::size_t> begins) const;
  void allreduce_shared(std::span<double> values, std::span<const std::size_t> begins,
                        std::size_t count) const;
  void allreduce_sent(std::span<double> values, std::span<const std::size_t> begins,
                      std::size_t count) const;
  void receive_turn(std::span<std::byte> state) const;
  void pass_turn(std::span<std::byte> state) const;

  MPI_Comm comm_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  std::size_t num_here_ = 1;
  mutable Traffic traffic_;
  mutable SharedMemory shared_memory_;
};

}  // namespace cone::distributed
