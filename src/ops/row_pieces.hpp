#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cone/context.hpp"

namespace cone::ops {

/// Cuts the rows of a compressed matrix into pieces of about equal work and calls
/// body(begin, end) on each, in parallel. The work of a row is its entries plus kRowWork; a piece
/// has kPieceWork of it. The cuts depend on the offsets only, so results that are reduced within
/// rows are the same at any number of threads. A row is never split: a hub of 10⁵ neighbours is a
/// piece of a few milliseconds, and only a hub with more work than a thread's share of the graph
/// would keep the other threads waiting.
template <class Body>
void for_each_row_piece(const Context& context, std::span<const std::uint64_t> offsets,
                        const Body& body) {
  constexpr std::uint64_t kRowWork = 4;
  constexpr std::uint64_t kPieceWork = 4096;
  const std::size_t rows = offsets.size() - 1;
  const auto work_before = [&](std::size_t row) { return offsets[row] + kRowWork * row; };
  const auto first_row = [&](std::uint64_t work) {
    std::size_t low = 0;
    std::size_t high = rows;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (work_before(middle) < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const std::uint64_t pieces = (work_before(rows) + kPieceWork - 1) / kPieceWork;
  context.for_each_range(pieces, 1, [&](std::size_t piece, std::size_t) {
    const std::size_t begin = first_row(piece * kPieceWork);
    const std::size_t end = piece + 1 == pieces ? rows : first_row((piece + 1) * kPieceWork);
    if (begin < end) body(begin, end);
  });
}

}  // namespace cone::ops
