#include "inference/neighbourhood.hpp"

#include <algorithm>

namespace cone {
namespace {

constexpr std::size_t kRowsPerPiece = 4096;

}  // namespace

void LocalNeighbourhood::add_neighbours(const Context& context, const Matrix<double>& x,
                                        Matrix<double>& out) const {
  context.for_each_range(out.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = out.row(i);
      for (const NodeIndex j : graph_.neighbours(static_cast<NodeIndex>(i))) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += x(j, c);
      }
    }
  });
}

void DistributedNeighbourhood::add_neighbours(const Context& context, const Matrix<double>& x,
                                              Matrix<double>& out) const {
  const DistributedRows& rows = *data_.distributed;
  Matrix<double> table(size() + rows.remote.size(), x.cols());
  std::ranges::copy(x.values(), table.data());
  rows.ghosts->fetch(table);
  context.for_each_range(out.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = out.row(i);
      for (const std::uint32_t j : rows.lists->of(i)) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += table(j, c);
      }
    }
  });
}

std::vector<double> DistributedNeighbourhood::gather(std::span<const double> column) const {
  std::vector<double> out(num_nodes());
  for (std::size_t i = 0; i < size(); ++i) out[number(i)] = column[i];
  data_.comm().allreduce(out);
  return out;
}

const Graph& DistributedNeighbourhood::global_graph() const {
  if (graph_) return *graph_;
  std::vector<Edge> own;
  for (std::size_t i = 0; i < size(); ++i) {
    for (const std::uint64_t j : data_.neighbour_numbers(static_cast<NodeIndex>(i))) {
      if (j < number(i)) continue;  // listed at the other end
      own.push_back({static_cast<NodeIndex>(number(i)), static_cast<NodeIndex>(j)});
    }
  }
  graph_ = build_graph(Context({.threads = 1}), num_nodes(), data_.comm().allgatherv(own));
  return *graph_;
}

std::unique_ptr<Neighbourhood> make_neighbourhood(const Dataset& data) {
  if (data.distributed) return std::make_unique<DistributedNeighbourhood>(data);
  return std::make_unique<LocalNeighbourhood>(data.graph);
}

}  // namespace cone
