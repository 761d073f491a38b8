#include <algorithm>
#include <array>

#include "distributed/derived_features.hpp"
#include "distributed/distributed_sort.hpp"

namespace cone::distributed {
namespace {

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

}  // namespace

RankedColumn find_mid_ranks(const Communicator& comm, const LocalData& local, std::size_t column) {
  Matrix<double> rows(local.size(), 3);
  for (std::size_t p = 0; p < local.size(); ++p) {
    const std::array<double, 3> row = {local.numeric(p, column), static_cast<double>(comm.rank()),
                                       static_cast<double>(p)};
    std::ranges::copy(row, rows.row(p).begin());
  }
  const Matrix<double> sorted = distributed_sort(comm, rows);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  const PartEnds own_ends = describe_ends(sorted);
  const std::vector<PartEnds> ends = comm.allgatherv(std::span(&own_ends, 1));
  const auto n = static_cast<double>(local.global.num_nodes);
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
  RankedColumn out{std::vector<double>(local.size()), comm.allreduce(num_values)};
  for (const auto& part : comm.alltoallv(std::move(replies))) {
    for (const MidRank& reply : part) out.rank[reply.position] = reply.rank;
  }
  return out;
}

}  // namespace cone::distributed
