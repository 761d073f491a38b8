#include "inference/neighbourhood.hpp"

#include <algorithm>

namespace cone {

Neighbourhood::Neighbourhood(const Dataset& data) : Neighbourhood(data.graph) {
  if (!data.distributed) return;
  offsets_ = data.distributed->lists->offsets;
  rows_ = data.distributed->lists->rows;
  data_ = &data;
}

void Neighbourhood::add_neighbours(const Context& context, const Matrix<double>& x,
                                   Matrix<double>& out) const {
  Matrix<double> with_ghosts;
  if (data_ != nullptr) {
    with_ghosts = Matrix<double>(size() + data_->distributed->remote.size(), x.cols());
    std::ranges::copy(x.values(), with_ghosts.data());
    data_->distributed->ghosts->fetch(with_ghosts);
  }
  const Matrix<double>& table = data_ != nullptr ? with_ghosts : x;
  constexpr std::size_t kRowsPerPiece = 4096;
  context.for_each_range(out.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = out.row(i);
      for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += table(rows_[k], c);
      }
    }
  });
}

std::vector<double> Neighbourhood::gather(std::span<const double> column) const {
  std::vector<double> out(num_nodes());
  for (std::size_t i = 0; i < size(); ++i) out[number(i)] = column[i];
  if (data_ != nullptr) data_->comm().allreduce(out);
  return out;
}

const Graph& Neighbourhood::global_graph() const {
  if (data_ == nullptr) return *graph_;
  if (global_) return *global_;
  std::vector<Edge> own;
  for (std::size_t i = 0; i < size(); ++i) {
    for (const std::uint64_t j : data_->neighbour_numbers(static_cast<NodeIndex>(i))) {
      if (j < number(i)) continue;  // listed at the other end
      own.push_back({static_cast<NodeIndex>(number(i)), static_cast<NodeIndex>(j)});
    }
  }
  global_ = build_graph(Context({.threads = 1}), num_nodes(), data_->comm().allgatherv(own));
  return *global_;
}

}  // namespace cone
