#include <algorithm>
#include <array>

#include "distributed/made_features.hpp"
#include "distributed/sort_together.hpp"

namespace cone::distributed {
namespace {

/// The ends of a rank's piece of the sorted values: equal values may stand on several ranks.
struct PieceEnds {
  double first = 0, last = 0;
  std::uint64_t num_first = 0, num_last = 0, size = 0;
};

PieceEnds describe_ends(const Matrix<double>& sorted) {
  PieceEnds out{.size = sorted.rows()};
  if (out.size == 0) return out;
  out.first = sorted(0, 0);
  out.last = sorted(sorted.rows() - 1, 0);
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    out.num_first += sorted(k, 0) == out.first ? 1 : 0;
    out.num_last += sorted(k, 0) == out.last ? 1 : 0;
  }
  return out;
}

struct RankOfPosition {
  std::uint64_t position;
  double rank;
};

}  // namespace

RankedColumn rank_together(const Ranks& ranks, const Share& share, std::size_t column) {
  Matrix<double> rows(share.size(), 3);
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::array<double, 3> row = {share.columns(p, column), static_cast<double>(ranks.rank()),
                                       static_cast<double>(p)};
    std::ranges::copy(row, rows.row(p).begin());
  }
  const Matrix<double> sorted = sort_together(ranks, rows);
  const std::uint64_t before = ranks.exclusive_scan(std::uint64_t{sorted.rows()});
  const PieceEnds own_ends = describe_ends(sorted);
  const std::vector<PieceEnds> ends = ranks.allgather(std::span(&own_ends, 1));
  const auto n = static_cast<double>(share.whole.num_nodes);
  std::vector<std::vector<RankOfPosition>> answers(ranks.size());
  std::uint64_t num_values = 0;
  for (std::size_t begin = 0; begin < sorted.rows();) {
    const double value = sorted(begin, 0);
    std::size_t end = begin + 1;
    while (end < sorted.rows() && sorted(end, 0) == value) ++end;
    std::uint64_t low = before + begin;
    std::uint64_t high = before + end;
    bool begins_here = true;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const PieceEnds& other = ends[r];
      if (r == ranks.rank() || other.size == 0) continue;
      if (r < ranks.rank() && other.last == value) {
        low -= other.num_last;
        begins_here = false;
      }
      if (r > ranks.rank() && other.first == value) high += other.num_first;
    }
    num_values += begins_here ? 1 : 0;
    for (std::size_t k = begin; k < end; ++k) {
      answers[static_cast<std::size_t>(sorted(k, 1))].push_back(
          {static_cast<std::uint64_t>(sorted(k, 2)), static_cast<double>(low + high) / (2 * n)});
    }
    begin = end;
  }
  RankedColumn out{std::vector<double>(share.size()), ranks.allreduce(num_values)};
  for (const auto& part : ranks.exchange(std::move(answers))) {
    for (const RankOfPosition& answer : part) out.rank[answer.position] = answer.rank;
  }
  return out;
}

}  // namespace cone::distributed
