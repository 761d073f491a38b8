#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"

namespace cone {

/// The values of all ranks as one sorted list, without gathering it. Functions are collective: all
/// ranks pass the same arguments.
class OrderedValues {
 public:
  /// No NaN. `comm` must outlive it. O(n log n) in this rank's values.
  OrderedValues(std::vector<double> values, const Communicator& comm);

  /// Number of values of all ranks.
  std::uint64_t size() const { return size_; }
  /// This rank's values, ascending.
  std::span<const double> local() const { return local_; }
  /// How many values of all ranks are above a limit.
  std::uint64_t count_above(double limit) const;
  /// The values at these indices of the list, all below size(). With several ranks, eight
  /// allreduces of 256 counts per index.
  std::vector<double> at(std::span<const std::uint64_t> indices) const;
  /// This rank's part of the last `count` values of the list, ascending; count ≤ size(). Among
  /// values equal to the first of them, those of the last ranks are taken.
  std::span<const double> last(std::uint64_t count) const;

 private:
  const Communicator& comm_;
  std::vector<double> local_;  ///< ascending
  std::uint64_t size_;
};

/// Indices into `values` by group: at most `num_groups` groups of about the same size, in ascending
/// order of the values. Equal values share a group, so the order of the nodes does not matter. In
/// distributed runs the groups are those of all ranks: one without local values is empty.
/// O(n log n).
std::vector<std::vector<std::size_t>> group_evenly(std::span<const double> values,
                                                   std::size_t num_groups,
                                                   const Communicator& comm);

}  // namespace cone
