#pragma once

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
  /// Whether other processes have nodes too.
  virtual bool has_others() const { return false; }
  /// In the place of what this process has: the sums over all processes.
  virtual void add_up(std::span<double> /*values*/) const {}
  /// In the place of what this process has: the largest of every one over all processes.
  virtual void find_largest(std::span<double> /*values*/) const {}
  /// What all processes have, one behind the other in an order that is always the same.
  virtual std::vector<double> gather(std::span<const double> values) const {
    return {values.begin(), values.end()};
  }
  /// The place of this process in that order.
  virtual std::size_t place() const { return 0; }

  double add_up(double value) const {
    add_up(std::span(&value, 1));
    return value;
  }
  double find_largest(double value) const {
    find_largest(std::span(&value, 1));
    return value;
  }
  bool any(bool value) const { return find_largest(value ? 1.0 : 0.0) > 0; }
  /// How many there are over all processes.
  double count(std::size_t here) const { return add_up(static_cast<double>(here)); }
};

}  // namespace cone
