#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cone {

/// Sums over nodes that several processes have a part of each. A process that has all of them need
/// not add anything: this is it.
class Totals {
 public:
  virtual ~Totals() = default;
  /// Which of how many processes this is: work that all of them would do alike may be shared.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  /// In the place of what this process has: the sums over all processes.
  virtual void add_up(std::span<double> /*values*/) const {}
  /// The same for one process only; what the others are left with means nothing.
  virtual void add_up_for(std::size_t /*rank*/, std::span<double> /*values*/) const {}
  /// The same for all and several lists, in one message.
  virtual void add_up_lists(std::span<const std::span<double>> /*lists*/) const {}
  virtual double find_largest(double value) const { return value; }

  double add_up(double value) const {
    add_up(std::span(&value, 1));
    return value;
  }
};

/// Lists that wait until a sum is needed, to be added up in one message. They must stay where they
/// are.
class WaitingSums {
 public:
  explicit WaitingSums(const Totals& totals) : totals_(totals) {}

  void add(std::span<double> list) {
    if (!list.empty()) lists_.push_back(list);
  }
  void finish() {
    if (!lists_.empty()) totals_.add_up_lists(lists_);
    lists_.clear();
  }

 private:
  const Totals& totals_;
  std::vector<std::span<double>> lists_;
};

}  // namespace cone
