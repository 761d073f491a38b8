#include "network_ridge/neighbour_norms.hpp"

#include <algorithm>

#include "base/numeric.hpp"

namespace cone {

NeighbourNorms find_neighbour_norms(const Context& context, const RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  NeighbourNorms out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(n, kPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<double> counts(inputs.counts.cols(), 0.0);
    std::vector<double> numeric(inputs.numeric.cols());
    for (std::size_t p = begin; p < end; ++p) {
      context.poll();
      std::ranges::fill(numeric, 0.0);
      double squares = 0;
      const auto neighbours = inputs.graph.neighbours(static_cast<NodeIndex>(p));
      for (const NodeIndex j : neighbours) {
        const SparseMatrix::Row row = inputs.counts.row(j);
        for (std::size_t k = 0; k < row.size(); ++k) {
          double& total = counts[row.columns[k]];
          squares += row.values[k] * (2 * total + row.values[k]);
          total += row.values[k];
        }
        for (std::size_t c = 0; c < numeric.size(); ++c) numeric[c] += inputs.numeric(j, c);
      }
      for (const NodeIndex j : neighbours) {
        for (const std::uint32_t c : inputs.counts.row(j).columns) counts[c] = 0;
      }
      out.counts[p] = squares;
      out.numeric[p] = dot(numeric, numeric);
    }
  });
  return out;
}

}  // namespace cone
