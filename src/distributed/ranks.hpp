#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "cone/error.hpp"

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
  explicit Ranks(MPI_Comm comm);

  MPI_Comm comm() const { return comm_; }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  bool is_first() const { return rank_ == 0; }

  using Totals::add_up;
  void add_up(std::span<double> values) const override;
  void add_up_for(std::size_t rank, std::span<double> values) const override;
  void add_up_lists(std::span<const std::span<double>> lists) const override;
  std::uint64_t add_up(std::uint64_t value) const;
  double find_largest(double value) const override;
  std::uint64_t find_largest(std::uint64_t value) const;
  bool any(bool value) const { return find_largest(std::uint64_t{value ? 1U : 0U}) != 0; }
  /// The sum over the ranks before this one.
  std::uint64_t sum_before(std::uint64_t value) const;

  /// One text per rank.
  std::vector<std::string> gather(const std::string& text) const;
  std::vector<std::uint64_t> gather(std::uint64_t value) const;
  /// Of the first rank, for all.
  std::string share(std::string text) const;

  /// parts[r] goes to rank r; the result has one part per rank that it came from.
  template <class T>
  std::vector<std::vector<T>> exchange(const std::vector<std::vector<T>>& parts) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::span<const std::byte>> bytes;
    for (const std::vector<T>& part : parts) bytes.push_back(std::as_bytes(std::span(part)));
    std::vector<std::vector<T>> out(size_);
    exchange_bytes(bytes, [&](std::size_t from, std::size_t num_bytes) {
      out[from].resize(num_bytes / sizeof(T));
      return std::as_writable_bytes(std::span(out[from]));
    });
    return out;
  }

  /// Waits for all ranks without keeping a core busy: some of them work for long.
  void wait_quietly() const;

  /// Throws a SharedError with the faults of all ranks, if there are any.
  void throw_if_any(const FaultList& faults, ErrorCode code) const;

  /// Bytes that this rank sent to others, and how often they waited for each other.
  struct Traffic {
    std::uint64_t num_bytes = 0;
    std::uint64_t num_calls = 0;
    double seconds = 0;
  };
  const Traffic& traffic() const { return traffic_; }
  void count_traffic(std::uint64_t num_bytes, double seconds) const;

 private:
  template <class Place>
  void exchange_bytes(std::span<const std::span<const std::byte>> parts, const Place& place) const {
    std::vector<std::uint64_t> sizes;
    for (const auto& part : parts) sizes.push_back(part.size());
    const std::vector<std::uint64_t> incoming = exchange_sizes(sizes);
    for (std::size_t step = 0; step < size_; ++step) {
      const std::size_t to = (rank_ + step) % size_;
      const std::size_t from = (rank_ + size_ - step) % size_;
      send_and_receive(to, parts[to], from, place(from, incoming[from]));
    }
  }
  std::vector<std::uint64_t> exchange_sizes(std::span<const std::uint64_t> sizes) const;
  void send_and_receive(std::size_t to, std::span<const std::byte> sent, std::size_t from,
                        std::span<std::byte> received) const;

  MPI_Comm comm_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  mutable Traffic traffic_;
};

}  // namespace cone::distributed
