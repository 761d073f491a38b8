#pragma once

#include <span>

namespace cone {

/// Sums over nodes that several processes have a part of each. A process that has all of them need
/// not add anything: this is it.
class Totals {
 public:
  virtual ~Totals() = default;
  /// In the place of what this process has: the sums over all processes.
  virtual void add_up(std::span<double> /*values*/) const {}
  virtual double find_largest(double value) const { return value; }

  double add_up(double value) const {
    add_up(std::span(&value, 1));
    return value;
  }
};

}  // namespace cone
