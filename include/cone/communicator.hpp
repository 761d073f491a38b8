#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

/// \file
/// Collective operations over the ranks that share the nodes of a dataset.

namespace cone {

/// Collective operations over ranks, named as in MPI: every rank calls them in the same order. This
/// base class is the case of one process, which has all nodes.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// One process that has all nodes.
  static const Communicator& self();
  /// Rank and number of ranks; work that would be the same on every rank may be divided by them.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  /// Whether there are other ranks.
  bool has_others() const { return size() > 1; }
  /// Replaces the values by their sums over all ranks.
  virtual void allreduce(std::span<double> /*values*/) const {}
  /// Rank r gets the sums of [begins[r], begins[r + 1]); the other values are unspecified
  /// afterwards.
  virtual void reduce_scatter(std::span<double> /*values*/,
                              std::span<const std::size_t> /*begins*/) const {}
  /// Gathers the parts of all ranks on the root.
  virtual void gather_to(std::size_t /*root*/, std::span<const double> part,
                         std::span<const std::size_t> /*begins*/, std::span<double> all) const {
    std::copy(part.begin(), part.end(), all.begin());
  }
  /// Copies the root's values to all ranks.
  virtual void broadcast(std::size_t /*root*/, std::span<double> /*values*/) const {}
  /// allreduce of several lists, in one message.
  virtual void allreduce_lists(std::span<const std::span<double>> /*lists*/) const {}
  /// Replaces every value by its maximum over all ranks.
  virtual void allreduce_max(std::span<double> /*values*/) const {}
  /// The values of all ranks, concatenated in rank order.
  virtual std::vector<double> allgather(std::span<const double> values) const {
    return {values.begin(), values.end()};
  }

  /// Waits for all ranks; sleeps instead of spinning, as some ranks may compute for long.
  virtual void barrier() const {}
  /// How many cores each of `num_busy` ranks may use while the others wait in the barrier.
  virtual int count_cores_for(std::size_t /*num_busy*/) const { return 1; }

  double allreduce(double value) const {
    allreduce(std::span(&value, 1));
    return value;
  }
  double allreduce_max(double value) const {
    allreduce_max(std::span(&value, 1));
    return value;
  }
  bool any(bool value) const { return allreduce_max(value ? 1.0 : 0.0) > 0; }
  /// The sum of a local count over all ranks.
  double count(std::size_t local) const { return allreduce(static_cast<double>(local)); }
};

}  // namespace cone
