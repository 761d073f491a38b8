#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"

namespace cone {

// Statistics over the values of all ranks; base/numeric.hpp has those of one.

double sum(std::span<const double> values, const Communicator& comm);
/// NaN when there are no values.
double mean(std::span<const double> values, const Communicator& comm);
/// Sum of squared deviations over (n − ddof).
double variance(std::span<const double> values, int ddof, const Communicator& comm);
/// The standard error of the mean, sd (n − 1) / √n. NaN for fewer than two values.
double standard_error(std::span<const double> values, const Communicator& comm);

/// Collects lists for one allreduce of all of them. The lists must stay at their addresses until
/// finish().
class BatchedAllreduce {
 public:
  explicit BatchedAllreduce(const Communicator& comm) : comm_(comm) {}

  void add(std::span<double> list) {
    if (!list.empty()) lists_.push_back(list);
  }
  void finish() {
    if (!lists_.empty()) comm_.allreduce_lists(lists_);
    lists_.clear();
  }

 private:
  const Communicator& comm_;
  std::vector<std::span<double>> lists_;
};

}  // namespace cone
