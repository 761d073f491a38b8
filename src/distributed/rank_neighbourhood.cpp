#include "distributed/rank_neighbourhood.hpp"

#include <algorithm>

namespace cone::distributed {
namespace {

struct NumberedValue {
  std::uint64_t number;
  double value;
};

}  // namespace

void RankNeighbourhood::add_neighbours(const Context& context, const Matrix<double>& x,
                                       Matrix<double>& out) const {
  Matrix<double> table(share_.ghosts.num_rows(), x.cols());
  std::ranges::copy(x.values(), table.data());
  share_.ghosts.update(table);
  for (std::size_t i = 0; i < share_.size(); ++i) {
    if (i % 4096 == 0) context.poll();
    const auto row = out.row(i);
    for (std::uint64_t k = share_.list_offsets[i]; k < share_.list_offsets[i + 1]; ++k) {
      const std::uint32_t j = share_.lists[k];
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += table(j, c);
    }
  }
}

std::vector<double> RankNeighbourhood::gather(std::span<const double> column) const {
  std::vector<NumberedValue> own;
  for (std::size_t i = 0; i < share_.size(); ++i) own.push_back({share_.number[i], column[i]});
  std::vector<double> out(share_.whole.num_nodes);
  for (const NumberedValue& entry : ranks_.allgather(own)) out[entry.number] = entry.value;
  return out;
}

const Graph& RankNeighbourhood::whole() const {
  if (whole_) return *whole_;
  // Numbers of ghosts, as their owners know them.
  Matrix<double> numbers(share_.ghosts.num_rows(), 1);
  for (std::size_t i = 0; i < share_.size(); ++i) {
    numbers(i, 0) = static_cast<double>(share_.number[i]);
  }
  share_.ghosts.update(numbers);
  std::vector<Edge> own;
  for (std::size_t i = 0; i < share_.size(); ++i) {
    for (std::uint64_t k = share_.list_offsets[i]; k < share_.list_offsets[i + 1]; ++k) {
      const auto other = static_cast<NodeIndex>(numbers(share_.lists[k], 0));
      if (other < share_.number[i]) continue;  // its own list has the tie
      own.push_back({static_cast<NodeIndex>(share_.number[i]), other});
    }
  }
  whole_ = build_graph(Context(0, 1), share_.whole.num_nodes, ranks_.allgather(own));
  return *whole_;
}

}  // namespace cone::distributed
