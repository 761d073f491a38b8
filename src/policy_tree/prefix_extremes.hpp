#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cone {

/// The largest and the smallest prefix sum of a list of integers that change one by one. Only open
/// prefixes count. A binary tree over short blocks of the list: every change scans one block and
/// walks from it to the root, O(log size), where the result is. Blocks keep the tree small enough
/// for the caches.
class PrefixExtremes {
 public:
  /// No open prefix: far beyond every sum, and no sum added to it overflows.
  static constexpr std::int64_t kClosed = -(std::int64_t{1} << 61);

  /// `size` zeros, every prefix closed. Keeps its memory.
  void reset(std::size_t size) {
    const std::size_t num_blocks = (std::max<std::size_t>(size, 1) + kBlock - 1) / kBlock;
    num_blocks_ = std::bit_ceil(num_blocks);
    height_ = static_cast<std::size_t>(std::countr_zero(num_blocks_));
    members_.assign(num_blocks_ * kBlock, Member{0, kClosed});
    cells_.assign(2 * num_blocks_, Cell{0, kClosed, -kClosed});
  }

  /// Changes of members; the root is valid after `settle` or `rebuild`.
  void add_at(std::size_t index, std::int64_t value) { members_[index].value += value; }
  /// From now on the prefix that ends with this member counts.
  void open(std::size_t index) { members_[index].gate = 0; }

  void settle(std::size_t index) {
    std::size_t k = num_blocks_ + index / kBlock;
    Cell cell = scan(index / kBlock);
    cells_[k] = cell;
    // The current cell stays in registers and only its sibling is read. Selects instead of
    // branches: the side of a cell is unpredictable.
    for (; k > 1; k /= 2) {
      const Cell other = cells_[k ^ 1U];
      const bool is_right = (k & 1U) != 0;
      const std::int64_t left_sum = is_right ? other.sum : cell.sum;
      const std::int64_t left_high = is_right ? other.high : cell.high;
      const std::int64_t right_high = is_right ? cell.high : other.high;
      const std::int64_t left_low = is_right ? other.low : cell.low;
      const std::int64_t right_low = is_right ? cell.low : other.low;
      cell.sum += other.sum;
      cell.high = std::max(left_high, left_sum + right_high);
      cell.low = std::min(left_low, left_sum + right_low);
      cells_[k / 2] = cell;
    }
  }
  void rebuild() {
    for (std::size_t b = 0; b < num_blocks_; ++b) cells_[num_blocks_ + b] = scan(b);
    for (std::size_t k = num_blocks_ - 1; k > 0; --k) {
      const Cell& left = cells_[2 * k];
      const Cell& right = cells_[2 * k + 1];
      cells_[k] = {left.sum + right.sum, std::max(left.high, left.sum + right.high),
                   std::min(left.low, left.sum + right.low)};
    }
  }
  /// Whether one rebuild is faster than settling so many changes.
  bool prefers_rebuild(std::size_t num_changes) const {
    return num_changes * (height_ + kScanCost) >= num_blocks_ * (1 + kScanCost);
  }

  bool has_open() const { return cells_[1].high > kClosed / 2; }
  std::int64_t highest() const { return cells_[1].high; }
  std::int64_t lowest() const { return cells_[1].low; }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kScanCost = 3;  // of a block, in steps of the walk

  struct Member {
    std::int64_t value;
    std::int64_t gate;  // 0 where the prefix is open, else kClosed
  };
  struct Cell {
    std::int64_t sum;
    std::int64_t high;
    std::int64_t low;
  };

  Cell scan(std::size_t block) const {
    const Member* member = members_.data() + block * kBlock;
    Cell cell{0, 2 * kClosed, -2 * kClosed};
    for (std::size_t k = 0; k < kBlock; ++k) {
      cell.sum += member[k].value;
      cell.high = std::max(cell.high, cell.sum + member[k].gate);
      cell.low = std::min(cell.low, cell.sum - member[k].gate);
    }
    return cell;
  }

  std::size_t num_blocks_ = 1;
  std::size_t height_ = 0;
  std::vector<Member> members_;
  std::vector<Cell> cells_;
};

}  // namespace cone
