#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/totals.hpp"

namespace cone {

/// Values that several processes have parts of each, as if they stood in one ascending list. No
/// process sees more of it than what it asks for. All of them must ask alike.
class OrderedValues {
 public:
  /// No NaN. `totals` must outlive it. O(n log n) of the values here.
  OrderedValues(std::vector<double> values, const Totals& totals);

  /// Of all processes.
  std::uint64_t size() const { return size_; }
  /// Those that this process has, ascending.
  std::span<const double> here() const { return here_; }
  /// How many values of all processes are above a limit.
  std::uint64_t count_above(double limit) const;
  /// The values at these places of the list; all below size(). On several processes eight messages
  /// of 256 counts per place.
  std::vector<double> at(std::span<const std::uint64_t> places) const;
  /// The part of the last `count` of the list that this process has, ascending. Of equal values
  /// where the list is cut, those of the last processes count. At most size().
  std::span<const double> last(std::uint64_t count) const;

 private:
  const Totals& totals_;
  std::vector<double> here_;  ///< ascending
  std::uint64_t size_;
};

}  // namespace cone
