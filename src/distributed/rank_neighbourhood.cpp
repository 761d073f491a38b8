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
  Matrix<double> table(local_.size() + local_.rows->remote.size(), x.cols());
  std::ranges::copy(x.values(), table.data());
  local_.rows->ghosts->fetch(table);
  for (std::size_t i = 0; i < local_.size(); ++i) {
    if (i % 4096 == 0) context.poll();
    const auto row = out.row(i);
    for (const std::uint32_t j : local_.rows->lists->of(i)) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += table(j, c);
    }
  }
}

std::vector<double> RankNeighbourhood::gather(std::span<const double> column) const {
  std::vector<NumberedValue> own;
  for (std::size_t i = 0; i < local_.size(); ++i)
    own.push_back({local_.rows->number[i], column[i]});
  std::vector<double> out(local_.global.num_nodes);
  for (const NumberedValue& entry : comm_.allgatherv(own)) out[entry.number] = entry.value;
  return out;
}

const Graph& RankNeighbourhood::global_graph() const {
  if (graph_) return *graph_;
  // Node numbers of the ghosts, from their owners.
  Matrix<double> numbers(local_.size() + local_.rows->remote.size(), 1);
  for (std::size_t i = 0; i < local_.size(); ++i) {
    numbers(i, 0) = static_cast<double>(local_.rows->number[i]);
  }
  local_.rows->ghosts->fetch(numbers);
  std::vector<Edge> own;
  for (std::size_t i = 0; i < local_.size(); ++i) {
    for (const std::uint32_t j : local_.rows->lists->of(i)) {
      const auto other = static_cast<NodeIndex>(numbers(j, 0));
      if (other < local_.rows->number[i]) continue;  // listed at the other end
      own.push_back({static_cast<NodeIndex>(local_.rows->number[i]), other});
    }
  }
  graph_ = build_graph(Context(0, 1), local_.global.num_nodes, comm_.allgatherv(own));
  return *graph_;
}

}  // namespace cone::distributed
