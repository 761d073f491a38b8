#include "exec/distributed_sort.hpp"

#include <algorithm>
#include <numeric>

namespace cone {
namespace {

/// Rows per rank that the splitters of the sample sort are chosen from.
constexpr std::size_t kSamplesPerRank = 256;

using RowSpan = std::span<const double>;

bool comes_before(RowSpan a, RowSpan b) { return std::ranges::lexicographical_compare(a, b); }

std::vector<std::size_t> order_rows(const Matrix<double>& rows) {
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return comes_before(rows.row(a), rows.row(b)); });
  return order;
}

Matrix<double> join(std::vector<std::vector<double>> parts, std::size_t width) {
  std::size_t size = 0;
  for (const std::vector<double>& part : parts) size += part.size();
  Matrix<double> out(size / width, width);
  double* next = out.data();
  for (std::vector<double>& part : parts) {
    next = std::ranges::copy(part, next).out;
    part = std::vector<double>();
  }
  return out;
}

Matrix<double> in_order(const Matrix<double>& rows) {
  Matrix<double> out(rows.rows(), rows.cols());
  const std::vector<std::size_t> order = order_rows(rows);
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::ranges::copy(rows.row(order[k]), out.row(k).begin());
  }
  return out;
}

}  // namespace

Matrix<double> distributed_sort(const Communicator& comm, const Matrix<double>& rows) {
  const std::size_t width = rows.cols();
  const std::vector<std::size_t> order = order_rows(rows);
  std::vector<double> samples;
  for (std::size_t k = 0; k < std::min(kSamplesPerRank, order.size()); ++k) {
    const auto row = rows.row(order[k * order.size() / std::min(kSamplesPerRank, order.size())]);
    samples.insert(samples.end(), row.begin(), row.end());
  }
  const Matrix<double> sampled = in_order(join({comm.allgatherv(samples)}, width));
  std::vector<std::vector<double>> parts(comm.size());
  std::size_t to = 0;
  for (const std::size_t i : order) {
    // The first row of rank r is at least the r-th quantile of the samples.
    while (to + 1 < comm.size() && sampled.rows() > 0 &&
           !comes_before(rows.row(i), sampled.row((to + 1) * sampled.rows() / comm.size()))) {
      ++to;
    }
    parts[to].insert(parts[to].end(), rows.row(i).begin(), rows.row(i).end());
  }
  return in_order(join(comm.alltoallv(std::move(parts)), width));
}

}  // namespace cone
