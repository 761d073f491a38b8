#include "network_ridge/curve_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "cone/context.hpp"

#include "exec/distributed_sort.hpp"

namespace cone {
namespace {

constexpr std::size_t kCurveRowsPerPiece = 2048;

/// The mid-ranks of a column's values among all rows.
struct RankedColumn {
  std::vector<double> rank;    ///< of each row, in (0, 1); ties share one
  std::size_t num_values = 0;  ///< distinct ones
};

RankedColumn rank_column(const Matrix<double>& columns, std::size_t c) {
  const std::size_t n = columns.rows();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return columns(a, c) < columns(b, c); });
  RankedColumn out{std::vector<double>(n), 0};
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && columns(order[end], c) == columns(order[begin], c)) ++end;
    const double rank = static_cast<double>(begin + end) / (2 * static_cast<double>(n));
    for (std::size_t k = begin; k < end; ++k) out.rank[order[k]] = rank;
    ++out.num_values;
    begin = end;
  }
  return out;
}

/// The first and last value of a rank's sorted part: equal values may be on several ranks.
struct PartEnds {
  double first = 0, last = 0;
  std::uint64_t num_first = 0, num_last = 0, size = 0;
};

PartEnds describe_ends(const Matrix<double>& sorted) {
  PartEnds out{.size = sorted.rows()};
  if (out.size == 0) return out;
  out.first = sorted(0, 0);
  out.last = sorted(sorted.rows() - 1, 0);
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    out.num_first += sorted(k, 0) == out.first ? 1 : 0;
    out.num_last += sorted(k, 0) == out.last ? 1 : 0;
  }
  return out;
}

struct MidRank {
  std::uint64_t position;
  double rank;
};

/// The mid-ranks of a column's values among the rows of all ranks. Collective.
RankedColumn rank_distributed_column(const Communicator& comm, const Matrix<double>& columns,
                                     std::size_t column) {
  const std::size_t size = columns.rows();
  Matrix<double> rows(size, 3);
  for (std::size_t p = 0; p < size; ++p) {
    const std::array<double, 3> row = {columns(p, column), static_cast<double>(comm.rank()),
                                       static_cast<double>(p)};
    std::ranges::copy(row, rows.row(p).begin());
  }
  const Matrix<double> sorted = distributed_sort(comm, rows);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  const PartEnds own_ends = describe_ends(sorted);
  const std::vector<PartEnds> ends = comm.allgatherv(std::span(&own_ends, 1));
  const auto n = comm.count(size);
  std::vector<std::vector<MidRank>> replies(comm.size());
  std::uint64_t num_values = 0;
  for (std::size_t begin = 0; begin < sorted.rows();) {
    const double value = sorted(begin, 0);
    std::size_t end = begin + 1;
    while (end < sorted.rows() && sorted(end, 0) == value) ++end;
    std::uint64_t low = before + begin;
    std::uint64_t high = before + end;
    bool begins_here = true;
    for (std::size_t r = 0; r < comm.size(); ++r) {
      const PartEnds& other = ends[r];
      if (r == comm.rank() || other.size == 0) continue;
      if (r < comm.rank() && other.last == value) {
        low -= other.num_last;
        begins_here = false;
      }
      if (r > comm.rank() && other.first == value) high += other.num_first;
    }
    num_values += begins_here ? 1 : 0;
    for (std::size_t k = begin; k < end; ++k) {
      replies[static_cast<std::size_t>(sorted(k, 1))].push_back(
          {static_cast<std::uint64_t>(sorted(k, 2)), static_cast<double>(low + high) / (2 * n)});
    }
    begin = end;
  }
  RankedColumn out{std::vector<double>(size), comm.allreduce(num_values)};
  for (const auto& part : comm.alltoallv(std::move(replies))) {
    for (const MidRank& reply : part) out.rank[reply.position] = reply.rank;
  }
  return out;
}

}  // namespace

Matrix<double> make_curve_features(const Context& context, const Matrix<double>& columns) {
  const Communicator& comm = context.comm();
  const std::size_t num_rows = columns.rows();
  std::vector<RankedColumn> ranked;
  if (comm.has_others()) {
    for (std::size_t c = 0; c < columns.cols(); ++c) {
      ranked.push_back(rank_distributed_column(comm, columns, c));
    }
  } else {
    ranked = context.map_ranges<RankedColumn>(
        columns.cols(), 1, [&](std::size_t c, std::size_t) { return rank_column(columns, c); });
  }
  std::vector<const RankedColumn*> curved;
  for (const RankedColumn& column : ranked) {
    if (column.num_values > 2) curved.push_back(&column);
  }
  if (curved.empty()) return Matrix<double>(num_rows, 0);
  const std::size_t most =
      std::clamp(kMostCurveFeaturesInAll / curved.size(), kFewestCurveFeatures, kMostCurveFeatures);
  std::vector<std::size_t> first = {0};
  for (const RankedColumn* column : curved) {
    first.push_back(first.back() + std::min(most, column->num_values - 1));
  }
  Matrix<double> out(num_rows, first.back());
  context.for_each_range(num_rows, kCurveRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < curved.size(); ++c) {
        const double angle = std::numbers::pi * curved[c]->rank[i];
        for (std::size_t k = 1; k <= first[c + 1] - first[c]; ++k) {
          const auto frequency = static_cast<double>(k);
          out(i, first[c] + k - 1) =
              std::numbers::sqrt2 * std::cos(frequency * angle) / (std::numbers::pi * frequency);
        }
      }
    }
  });
  return out;
}

}  // namespace cone
