#include "network_ridge/neighbour_lengths.hpp"

#include <algorithm>

#include "base/numeric.hpp"

namespace cone {

NeighbourLengths measure_neighbours(const Context& context, const RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  NeighbourLengths out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(n, kPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<double> words(inputs.words.cols(), 0.0);
    std::vector<double> columns(inputs.columns.cols());
    for (std::size_t p = begin; p < end; ++p) {
      context.poll();
      std::ranges::fill(columns, 0.0);
      double squares = 0;
      const auto neighbours = inputs.graph.neighbours(static_cast<NodeIndex>(p));
      for (const NodeIndex j : neighbours) {
        const SparseMatrix::Row row = inputs.words.row(j);
        for (std::size_t k = 0; k < row.size(); ++k) {
          double& total = words[row.columns[k]];
          squares += row.values[k] * (2 * total + row.values[k]);
          total += row.values[k];
        }
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c] += inputs.columns(j, c);
      }
      for (const NodeIndex j : neighbours) {
        for (const std::uint32_t c : inputs.words.row(j).columns) words[c] = 0;
      }
      out.words[p] = squares;
      out.columns[p] = dot(columns, columns);
    }
  });
  return out;
}

}  // namespace cone
