#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/totals.hpp"

namespace cone {

// Statistics over the values of all ranks; base/numeric.hpp has those of one.

double sum(std::span<const double> values, const Totals& totals);
/// NaN when there are no values.
double mean(std::span<const double> values, const Totals& totals);
/// Sum of squared deviations over (n − ddof).
double variance(std::span<const double> values, int ddof, const Totals& totals);
/// The standard error of the mean, sd (n − 1) / √n. NaN for fewer than two values.
double standard_error(std::span<const double> values, const Totals& totals);

/// Collects lists for one allreduce of all of them. The lists must stay at their addresses until
/// finish().
class BatchedAllreduce {
 public:
  explicit BatchedAllreduce(const Totals& totals) : totals_(totals) {}

  void add(std::span<double> list) {
    if (!list.empty()) lists_.push_back(list);
  }
  void finish() {
    if (!lists_.empty()) totals_.allreduce_lists(lists_);
    lists_.clear();
  }

 private:
  const Totals& totals_;
  std::vector<std::span<double>> lists_;
};

}  // namespace cone
