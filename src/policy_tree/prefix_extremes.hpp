#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cone {

/// The largest and the smallest prefix sum of a list of whole numbers whose members grow one by
/// one. Only prefixes that were opened count. A binary tree over the list: every change walks from
/// one leaf to the root, O(log size), and the answer is at the root.
class PrefixExtremes {
 public:
  /// No open prefix: far beyond every sum, and no sum added to it overflows.
  static constexpr std::int64_t kNoHigh = -(std::int64_t{1} << 61);
  static constexpr std::int64_t kNoLow = std::int64_t{1} << 61;

  /// `size` zeros, every prefix closed. Keeps its memory.
  void reset(std::size_t size) {
    size_ = std::bit_ceil(std::max<std::size_t>(size, 1));
    height_ = static_cast<std::size_t>(std::countr_zero(size_));
    cells_.assign(2 * size_, Cell{0, kNoHigh, kNoLow});
  }

  /// Changes of leaves; the root answers after `settle` or `rebuild`.
  void add_at(std::size_t place, std::int64_t value) {
    Cell& leaf = cells_[size_ + place];
    leaf.sum += value;
    if (leaf.high != kNoHigh) leaf.high = leaf.low = leaf.sum;
  }
  /// From now on the prefix that ends with this member counts.
  void open(std::size_t place) {
    Cell& leaf = cells_[size_ + place];
    leaf.high = leaf.low = leaf.sum;
  }
  void settle(std::size_t place) {
    // The cell at hand stays in registers; only its sibling is read.
    Cell cell = cells_[size_ + place];
    for (std::size_t k = size_ + place; k > 1; k /= 2) {
      const Cell sibling = cells_[k ^ 1U];
      const bool is_right = (k & 1U) != 0;
      cell = combined(is_right ? sibling : cell, is_right ? cell : sibling);
      cells_[k / 2] = cell;
    }
  }
  void rebuild() {
    for (std::size_t k = size_ - 1; k > 0; --k) {
      cells_[k] = combined(cells_[2 * k], cells_[2 * k + 1]);
    }
  }
  /// Whether so many changes are settled sooner by one rebuild.
  bool prefers_rebuild(std::size_t num_changes) const { return num_changes * height_ >= size_; }

  bool has_open() const { return cells_[1].high > kNoHigh / 2; }
  std::int64_t highest() const { return cells_[1].high; }
  std::int64_t lowest() const { return cells_[1].low; }

 private:
  struct Cell {
    std::int64_t sum;
    std::int64_t high;
    std::int64_t low;
  };

  static Cell combined(const Cell& left, const Cell& right) {
    return {left.sum + right.sum, std::max(left.high, left.sum + right.high),
            std::min(left.low, left.sum + right.low)};
  }

  std::size_t size_ = 1;
  std::size_t height_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace cone
