#include "inference/neighbourhood.hpp"

namespace cone {

void LocalNeighbourhood::add_neighbours(const Context& context, const Matrix<double>& x,
                                        Matrix<double>& out) const {
  constexpr std::size_t kRowsPerPiece = 4096;
  context.for_each_range(out.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = out.row(i);
      for (const NodeIndex j : graph_.neighbours(static_cast<NodeIndex>(i))) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += x(j, c);
      }
    }
  });
}

}  // namespace cone
