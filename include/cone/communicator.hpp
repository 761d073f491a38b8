#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cone/ghost_rows.hpp"

/// \file
/// Collective operations over the ranks that share the nodes of a dataset.

namespace cone {

/// Collective operations over ranks, named as in MPI: every rank calls them in the same order. This
/// base class is one process that has all nodes, in which they cost a comparison or a copy of their
/// arguments. A transport overrides the protected functions; each is called on several ranks only,
/// but for do_alltoallv().
///
/// Sums are the same on every rank and in every run on as many ranks, and equal for different
/// numbers of ranks up to rounding.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// One process that has all nodes.
  static const Communicator& self();
  /// Rank and number of ranks; work that would be the same on every rank may be divided by them.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  bool is_root() const { return rank() == 0; }
  /// Whether there are other ranks.
  bool has_others() const { return size() > 1; }

  /// Replaces the values by their sums over all ranks.
  void allreduce(std::span<double> values) const {
    if (has_others()) do_allreduce(values);
  }
  double allreduce(double value) const {
    allreduce(std::span(&value, 1));
    return value;
  }
  std::uint64_t allreduce(std::uint64_t value) const;
  /// allreduce of several lists, in one message.
  void allreduce_lists(std::span<const std::span<double>> lists) const;
  /// Replaces every value by its maximum over all ranks.
  void allreduce_max(std::span<double> values) const {
    if (has_others()) do_allreduce_max(values);
  }
  double allreduce_max(double value) const {
    allreduce_max(std::span(&value, 1));
    return value;
  }
  std::uint64_t allreduce_max(std::uint64_t value) const;
  bool any(bool value) const { return allreduce_max(value ? 1.0 : 0.0) > 0; }
  /// The sum of a local count over all ranks.
  double count(std::size_t local) const { return allreduce(static_cast<double>(local)); }
  /// The sum over the ranks below this one; 0 on rank 0.
  std::uint64_t exclusive_scan(std::uint64_t value) const;
  /// Rank r gets the sums of [begins[r], begins[r + 1]); the other values are unspecified
  /// afterwards.
  void reduce_scatter(std::span<double> values, std::span<const std::size_t> begins) const {
    if (has_others()) do_reduce_scatter(values, begins);
  }

  /// Copies the root's values, equally many on all ranks, to all ranks.
  template <std::ranges::contiguous_range Range>
  void broadcast(std::size_t root, Range&& values) const {
    if (has_others()) do_broadcast(root, std::as_writable_bytes(std::span(values)));
  }
  /// Gathers the parts of all ranks on the root: that of rank r becomes [begins[r], begins[r + 1])
  /// of `all`, which the other ranks leave empty.
  void gather(std::size_t root, std::span<const double> part, std::span<const std::size_t> begins,
              std::span<double> all) const;
  /// The objects of all ranks, concatenated in rank order, on every rank: for small data.
  template <std::ranges::contiguous_range Range>
  std::vector<std::ranges::range_value_t<Range>> allgatherv(const Range& own) const {
    using Value = std::ranges::range_value_t<Range>;
    static_assert(std::is_trivially_copyable_v<Value>);
    if (!has_others()) return {std::ranges::begin(own), std::ranges::end(own)};
    const std::span<const Value> values(own);
    const std::vector<std::uint64_t> sizes = allgather(std::uint64_t{values.size_bytes()});
    std::size_t num_bytes = 0;
    for (const std::uint64_t size : sizes) num_bytes += size;
    std::vector<Value> all(num_bytes / sizeof(Value));
    do_allgatherv(std::as_bytes(values), sizes, std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// One element per rank.
  std::vector<std::uint64_t> allgather(std::uint64_t value) const;
  std::vector<std::string> allgather(const std::string& text) const;

  /// parts[r] goes to rank r; the result has one part per sending rank.
  template <class T>
  std::vector<std::vector<T>> alltoallv(const std::vector<std::vector<T>>& parts) const {
    return alltoallv_parts(parts, [](std::size_t) {});
  }
  /// The same; the memory of every part is freed as soon as it is sent.
  template <class T>
  std::vector<std::vector<T>> alltoallv(std::vector<std::vector<T>>&& parts) const {
    return alltoallv_parts(parts, [&](std::size_t to) { parts[to] = std::vector<T>(); });
  }

  /// Waits for all ranks; sleeps instead of spinning, as some ranks may compute for long.
  void barrier() const {
    if (has_others()) do_barrier();
  }
  /// How many cores each of `num_busy` ranks may use while the others wait in the barrier.
  virtual int count_cores_for(std::size_t /*num_busy*/) const { return 1; }

  /// Connects the ghost rows of tables to their owners. Must outlive the result. Collective; by
  /// default every fetch() is an alltoallv() of the rows that are wanted.
  virtual std::unique_ptr<GhostRows> connect_ghosts(const GhostLayout& layout) const;

  /// What this rank sent, the number of collective operations and the time spent in them.
  struct Traffic {
    std::uint64_t num_bytes = 0;
    std::uint64_t num_calls = 0;
    double seconds = 0;
  };
  /// Zeros where nothing is counted.
  virtual Traffic traffic() const { return {}; }

 protected:
  /// Where do_alltoallv() puts what it receives: allocate(from, number of bytes).
  using Allocate = std::function<std::span<std::byte>(std::size_t, std::size_t)>;
  /// Called when a part was sent: release(to).
  using Release = std::function<void(std::size_t)>;

  virtual void do_allreduce(std::span<double> /*values*/) const {}
  virtual void do_allreduce_max(std::span<double> /*values*/) const {}
  virtual void do_reduce_scatter(std::span<double> values,
                                 std::span<const std::size_t> /*begins*/) const {
    do_allreduce(values);
  }
  virtual void do_broadcast(std::size_t /*root*/, std::span<std::byte> /*values*/) const {}
  virtual void do_gather(std::size_t root, std::span<const double> part,
                         std::span<const std::size_t> begins, std::span<double> all) const;
  /// `sizes`: numbers of bytes of all ranks.
  virtual void do_allgatherv(std::span<const std::byte> /*own*/,
                             std::span<const std::uint64_t> /*sizes*/,
                             std::span<std::byte> /*all*/) const {}
  /// One part per receiving rank.
  virtual void do_alltoallv(std::span<const std::span<const std::byte>> parts,
                            const Allocate& allocate, const Release& release) const;
  virtual void do_barrier() const {}

 private:
  template <class T>
  std::vector<std::vector<T>> alltoallv_parts(const std::vector<std::vector<T>>& parts,
                                              const Release& release) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::span<const std::byte>> bytes;
    bytes.reserve(parts.size());
    for (const std::vector<T>& part : parts) bytes.push_back(std::as_bytes(std::span(part)));
    std::vector<std::vector<T>> out(size());
    do_alltoallv(
        bytes,
        [&](std::size_t from, std::size_t num_bytes) {
          out[from].resize(num_bytes / sizeof(T));
          return std::as_writable_bytes(std::span(out[from]));
        },
        release);
    return out;
  }
};

}  // namespace cone
