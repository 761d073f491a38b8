#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "network_ridge/count_factor.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kWeighedRows = 2048;
/// Padding of table rows: rows a power of two apart would compete for the same cache sets.
constexpr std::size_t kPadding = 8;
constexpr std::size_t kColumnsPerTask = 64;
/// Columns multiplied with own count features at a time: their sums stay in the cache.
constexpr std::size_t kStrip = 16;

/// An entry of U for an own count feature, times the square root of the row's weight.
struct OwnEntry {
  std::uint32_t column;
  std::uint32_t row;
  double value;
};

std::vector<OwnEntry> list_own_counts(const ArmEquations& equations, const CountFactor& counts,
                                      std::span<const double> weights,
                                      std::span<const std::uint32_t> rows) {
  std::vector<OwnEntry> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double factor = counts.own_strength() * std::sqrt(weights[rows[i]]);
    const SparseMatrix::Row features =
        equations.inputs().counts.row(equations.first_position() + rows[i]);
    for (std::size_t e = 0; e < features.size(); ++e) {
      out.push_back(
          {features.columns[e], static_cast<std::uint32_t>(i), factor * features.values[e]});
    }
  }
  return out;
}

/// Adds the products of own count features with the rows of `table`, each num_rows long.
void add_mixed(const Context& context, std::span<const OwnEntry> own, std::size_t num_own,
               const Matrix<double>& table, std::size_t num_rows, Matrix<double>& out) {
  context.for_each_range(table.rows(), kStrip, [&](std::size_t begin, std::size_t end) {
    std::vector<std::array<double, kStrip>> strip(num_rows);
    for (std::size_t c = begin; c < end; ++c) {
      for (std::size_t i = 0; i < num_rows; ++i) strip[i][c - begin] = table(c, i);
    }
    std::vector<std::array<double, kStrip>> sums(num_own);
    for (const OwnEntry& entry : own) {
      const std::array<double, kStrip>& from = strip[entry.row];
      std::array<double, kStrip>& to = sums[entry.column];
      for (std::size_t c = 0; c < kStrip; ++c) to[c] += entry.value * from[c];
    }
    for (std::size_t w = 0; w < num_own; ++w) {
      for (std::size_t c = begin; c < end; ++c) out(num_own + c, w) += sums[w][c - begin];
    }
  });
}

/// Adds the products of own count features with each other.
void add_own(const Context& context, std::span<const OwnEntry> own, Matrix<double>& out) {
  std::size_t first = 0;
  while (first < own.size()) {
    context.poll();
    std::size_t end = first;
    while (end < own.size() && own[end].row == own[first].row) ++end;
    for (std::size_t a = first; a < end; ++a) {
      for (std::size_t b = first; b < end; ++b) {
        out(own[a].column, own[b].column) += own[a].value * own[b].value;
      }
    }
    first = end;
  }
}

}  // namespace

Matrix<double> weigh_factor_products(const Context& context, const ArmEquations& equations,
                                     const CountFactor& counts, const SparseMatrix& ghosts,
                                     const Matrix<double>& factor, std::span<const double> weights,
                                     std::span<const std::uint32_t> rows) {
  const std::size_t num_own = counts.num_own_columns();
  const std::size_t num_counts = counts.num_columns() - num_own;
  const std::size_t num_dense = num_counts + factor.cols();
  Matrix<double> out(num_own + num_dense, num_own + num_dense);
  Matrix<double> dense(num_dense, num_dense);
  for (std::size_t first = 0; first < rows.size(); first += kWeighedRows) {
    const auto some = rows.subspan(first, std::min(kWeighedRows, rows.size() - first));
    auto table = Matrix<double>::unfilled(num_dense, some.size() + kPadding);
    counts.write_rows(context, some, ghosts, table);
    context.for_each_range(num_dense, kColumnsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          if (c >= num_counts) table(c, i) = factor(some[i], c - num_counts);
          table(c, i) *= std::sqrt(weights[some[i]]);
        }
      }
    });
    ops::add_row_products(context, {table.data(), num_dense, some.size(), table.cols()}, dense);
    if (num_own == 0) continue;
    const std::vector<OwnEntry> own = list_own_counts(equations, counts, weights, some);
    add_mixed(context, own, num_own, table, some.size(), out);
    add_own(context, own, out);
  }
  context.for_each_range(num_dense, kColumnsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::ranges::copy(dense.row(c),
                        out.row(num_own + c).begin() + static_cast<std::ptrdiff_t>(num_own));
      for (std::size_t w = 0; w < num_own; ++w) out(w, num_own + c) = out(num_own + c, w);
    }
  });
  return out;
}

}  // namespace cone
