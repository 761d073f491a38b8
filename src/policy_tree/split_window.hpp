#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cone {

/// Which cuts of a column leave at least `fewest` rows on both sides, while rows are added one by
/// one. Cut s puts the ranks 0, ..., s to the left. Both sides only grow, so a cut that is allowed
/// stays allowed, and the allowed ones are contiguous: two ends that move outwards find them all in
/// O(ranks) in total.
class SplitWindow {
 public:
  void reset(std::size_t num_ranks, std::uint64_t fewest) {
    fewest_ = fewest;
    count_.assign(num_ranks, 0);
    low_ = static_cast<std::ptrdiff_t>(num_ranks) - 1;
    high_ = -1;
    before_low_ = 0;
    after_high_ = 0;
  }

  void add(std::uint32_t rank) {
    ++count_[rank];
    const auto r = static_cast<std::ptrdiff_t>(rank);
    if (r < low_) ++before_low_;
    if (r > high_ + 1) ++after_high_;
  }

  bool allows(std::uint32_t cut) const {
    return static_cast<std::ptrdiff_t>(cut) >= low_ && static_cast<std::ptrdiff_t>(cut) <= high_;
  }

  /// Calls open(cut) for every newly allowed cut after a rank with rows. Other cuts divide the rows
  /// like the one after the next lower rank with rows.
  template <class Open>
  void widen(const Open& open) {
    const std::ptrdiff_t last_cut = static_cast<std::ptrdiff_t>(count_.size()) - 2;
    const std::ptrdiff_t old_low = low_;
    const std::ptrdiff_t old_high = high_;
    // low_ is the first cut known to have enough rows to its left.
    while (low_ > 0 && before_low_ >= fewest_) {
      --low_;
      before_low_ -= count_[static_cast<std::size_t>(low_)];
    }
    while (high_ < last_cut && after_high_ >= fewest_) {
      ++high_;
      after_high_ -= count_[static_cast<std::size_t>(high_) + 1];
    }
    for (std::ptrdiff_t cut = low_; cut <= high_; ++cut) {
      if (cut == old_low && old_low <= old_high) cut = old_high + 1;
      if (cut <= high_ && count_[static_cast<std::size_t>(cut)] > 0) {
        open(static_cast<std::size_t>(cut));
      }
    }
  }

 private:
  std::uint64_t fewest_ = 1;
  std::vector<std::uint32_t> count_;  // rows of every rank
  std::ptrdiff_t low_ = 0;            // cuts from here on leave enough to the left
  std::ptrdiff_t high_ = -1;          // cuts up to here leave enough to the right
  std::uint64_t before_low_ = 0;      // rows of ranks below low_
  std::uint64_t after_high_ = 0;      // rows of ranks beyond high_ + 1
};

}  // namespace cone
