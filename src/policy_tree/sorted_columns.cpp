#include "policy_tree/sorted_columns.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cone {
namespace {

/// From rows in ascending order of their values: ranks and where they start.
template <class ValueOf>
SortedColumn rank_rows(std::vector<std::uint32_t> order, const ValueOf& value_of) {
  SortedColumn out;
  out.rank.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double value = value_of(order[k]);
    if (out.values.empty() || value != out.values.back()) {
      out.begin.push_back(static_cast<std::uint32_t>(k));
      out.values.push_back(value);
    }
    out.rank[order[k]] = static_cast<std::uint32_t>(out.values.size() - 1);
  }
  out.begin.push_back(static_cast<std::uint32_t>(order.size()));
  out.order = std::move(order);
  return out;
}

}  // namespace

SortedColumns sort_columns(const Context& context, MatrixView<const double> columns) {
  SortedColumns out(columns.cols());
  context.for_each_task("sorting columns", columns.cols(), [&](std::size_t c) {
    std::vector<std::uint32_t> order(columns.rows());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> values(columns.rows());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = columns(i, c);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    out[c] = rank_rows(std::move(order), [&](std::uint32_t i) { return values[i]; });
  });
  return out;
}

SortedColumns take_rows_sorted(const Context& context, const SortedColumns& columns,
                               std::span<const std::uint32_t> rows) {
  constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_row;
  if (!columns.empty()) new_row.assign(columns.front().rank.size(), kLeftOut);
  for (std::size_t k = 0; k < rows.size(); ++k) new_row[rows[k]] = static_cast<std::uint32_t>(k);
  SortedColumns out(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    context.poll();
    std::vector<std::uint32_t> order;
    order.reserve(rows.size());
    for (const std::uint32_t row : columns[c].order) {
      if (new_row[row] != kLeftOut) order.push_back(new_row[row]);
    }
    out[c] = rank_rows(std::move(order), [&](std::uint32_t k) {
      return columns[c].values[columns[c].rank[rows[k]]];
    });
  }
  return out;
}

RowSplit split_rows(const SortedColumn& column, std::size_t rank) {
  RowSplit out;
  for (std::size_t i = 0; i < column.rank.size(); ++i) {
    (column.rank[i] <= rank ? out.left : out.right).push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

}  // namespace cone
