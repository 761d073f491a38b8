#include "network_ridge/neighbour_norms.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/numeric.hpp"
#include "network_ridge/fetch_rows.hpp"

namespace cone {
namespace {

/// Sets the norms of the positions [begin, end). Ghost features are fetched for these positions
/// only: those of all ghosts could need more memory than the rank's own.
void measure_positions(const Context& context, const RidgeInputs& inputs, std::size_t begin,
                       std::size_t end, NeighbourNorms& out) {
  const std::size_t n = inputs.num_nodes();
  std::vector<std::uint32_t> ghosts;
  FetchedRows fetched;
  if (inputs.distributed) {
    for (std::size_t p = begin; p < end; ++p) {
      for (const std::uint32_t j : inputs.neighbours(p)) {
        if (j >= n) ghosts.push_back(j);
      }
    }
    std::ranges::sort(ghosts);
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    std::vector<RemoteRow> wanted;
    wanted.reserve(ghosts.size());
    for (const std::uint32_t g : ghosts) wanted.push_back(inputs.distributed->remote[g - n]);
    fetched = fetch_rows(*inputs.comm, inputs.counts, inputs.numeric, wanted);
  }
  const auto fetched_row = [&](std::uint32_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ghosts, row) - ghosts.begin());
  };
  const auto counts_of = [&](std::uint32_t row) {
    return row < n ? inputs.counts.row(row) : fetched.counts.row(fetched_row(row));
  };
  const auto numeric_of = [&](std::uint32_t row) {
    return row < n ? inputs.numeric.row(row)
                   : std::span<const double>(fetched.numeric.row(fetched_row(row)));
  };
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(end - begin, kPiece, [&](std::size_t first, std::size_t last) {
    std::vector<double> counts(inputs.counts.cols(), 0.0);
    std::vector<double> numeric(inputs.numeric.cols());
    for (std::size_t p = begin + first; p < begin + last; ++p) {
      context.poll();
      std::ranges::fill(numeric, 0.0);
      double squares = 0;
      const std::span<const std::uint32_t> neighbours = inputs.neighbours(p);
      for (const std::uint32_t j : neighbours) {
        const SparseMatrix::Row row = counts_of(j);
        for (std::size_t k = 0; k < row.size(); ++k) {
          double& total = counts[row.columns[k]];
          squares += row.values[k] * (2 * total + row.values[k]);
          total += row.values[k];
        }
        const std::span<const double> of_neighbour = numeric_of(j);
        for (std::size_t c = 0; c < numeric.size(); ++c) numeric[c] += of_neighbour[c];
      }
      for (const std::uint32_t j : neighbours) {
        for (const std::uint32_t c : counts_of(j).columns) counts[c] = 0;
      }
      out.counts[p] = squares;
      out.numeric[p] = dot(numeric, numeric);
    }
  });
}

}  // namespace

NeighbourNorms find_neighbour_norms(const Context& context, const RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  NeighbourNorms out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  if (!inputs.distributed) {
    measure_positions(context, inputs, 0, n, out);
    return out;
  }
  constexpr std::uint64_t kNeighboursAtATime = 1U << 18U;
  const std::vector<std::uint64_t>& offsets = inputs.lists->offsets;
  std::size_t begin = 0;
  while (inputs.comm->any(begin < n)) {
    context.poll();
    std::size_t end = begin;
    while (end < n && offsets[end] - offsets[begin] < kNeighboursAtATime) ++end;
    measure_positions(context, inputs, begin, end, out);
    begin = end;
  }
  return out;
}

}  // namespace cone
