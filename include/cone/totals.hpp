#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

/// \file
/// Sums over nodes that several processes have parts of.

namespace cone {

/// Sums over nodes that several processes have a part of each. A process that has all of them need
/// not add anything: this is it.
class Totals {
 public:
  virtual ~Totals() = default;
  /// Of a process that has all of the nodes.
  static const Totals& alone();
  /// Which of how many processes this is: work that all of them would do alike may be shared.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  /// Whether other processes have nodes too.
  bool has_others() const { return size() > 1; }
  /// In the place of what this process has: the sums over all processes.
  virtual void allreduce(std::span<double> /*values*/) const {}
  /// The same with a part for every process: sums of [begins[r], begins[r + 1]) are for process r,
  /// and what is left elsewhere means nothing.
  virtual void reduce_scatter(std::span<double> /*values*/,
                              std::span<const std::size_t> /*begins*/) const {}
  /// Puts the parts of all processes together, for one of them.
  virtual void gather_to(std::size_t /*rank*/, std::span<const double> part,
                         std::span<const std::size_t> /*begins*/, std::span<double> all) const {
    std::copy(part.begin(), part.end(), all.begin());
  }
  /// In the place of what the others have: what one of them has.
  virtual void broadcast(std::size_t /*rank*/, std::span<double> /*values*/) const {}
  /// The same for all and several lists, in one message.
  virtual void allreduce_lists(std::span<const std::span<double>> /*lists*/) const {}
  /// In the place of what this process has: the largest of every one over all processes.
  virtual void allreduce_max(std::span<double> /*values*/) const {}
  /// What all processes have, one behind the other in the order of their ranks.
  virtual std::vector<double> gather(std::span<const double> values) const {
    return {values.begin(), values.end()};
  }

  /// Waits for all processes without keeping a core busy: some of them work for long.
  virtual void wait_quietly() const {}
  /// How many cores each of `num_busy` processes may use while the others wait quietly.
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
  /// How many there are over all processes.
  double count(std::size_t here) const { return allreduce(static_cast<double>(here)); }
};

}  // namespace cone
