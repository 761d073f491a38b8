#include "ops/sparse_transposed.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sparse_transposed.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "cone/error.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// table += X[begin, end)'·V
void scatter_rows(const SparseView<double>& x, MatrixView<const double> v, std::size_t begin,
                  std::size_t end, MatrixView<double> table) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = v.cols();
  for (std::size_t i = begin; i < end; ++i) {
    const double* row = v.data() + i * v.stride();
    for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      double* to = table.data() + x.columns[e] * table.stride();
      const double value = x.values[e];
      const auto values = hn::Set(d, value);
      std::size_t c = 0;
      for (; c + lanes <= width; c += lanes) {
        hn::StoreU(hn::MulAdd(values, hn::LoadU(d, row + c), hn::LoadU(d, to + c)), d, to + c);
      }
      for (; c < width; ++c) to[c] += value * row[c];
    }
  }
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(scatter_rows);

namespace {

/// The number of tables: enough for many threads and a quick response to Ctrl-C, with at most a few
/// times the memory of V. A function of sizes only.
std::size_t count_tables(const SparseView<double>& x, const MatrixView<const double>& v) {
  constexpr std::size_t kMostTables = 64;
  constexpr std::size_t kEntriesPerTable = std::size_t{1} << 14U;
  constexpr std::size_t kMostNumbers = std::size_t{1} << 23U;
  const std::size_t entries = x.offsets.back() - x.offsets.front();
  const std::size_t numbers = std::max<std::size_t>(x.num_cols * v.cols(), 1);
  const std::size_t fitting = std::max(kMostNumbers, 2 * x.rows() * v.cols()) / numbers;
  return std::clamp<std::size_t>(std::min(entries / kEntriesPerTable, fitting), 1, kMostTables);
}

}  // namespace

void transposed_sparse_times_dense(const Context& context, const SparseView<double>& x,
                                   MatrixView<const double> v, MatrixView<double> out) {
  require(x.rows() == v.rows() && out.rows() == x.num_cols && out.cols() == v.cols(),
          "transposed product: sizes differ");
  constexpr std::size_t kRowsAtATime = 2048;
  constexpr std::size_t kAddedRows = 256;
  const std::size_t num_tables = count_tables(x, v);
  const std::size_t rows_per_table =
      std::max<std::size_t>(1, (x.rows() + num_tables - 1) / num_tables);
  const auto tables = context.map_ranges<Matrix<double>>(
      x.rows(), rows_per_table, [&](std::size_t begin, std::size_t end) {
        Matrix<double> table(out.rows(), out.cols());
        for (std::size_t first = begin; first < end; first += kRowsAtATime) {
          context.poll();
          HWY_DYNAMIC_DISPATCH(scatter_rows)
          (x, v, first, std::min(first + kRowsAtATime, end), table.view());
        }
        return table;
      });
  context.for_each_range(out.rows(), kAddedRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto to = out.row(r);
      std::fill(to.begin(), to.end(), 0.0);
      for (const Matrix<double>& table : tables) {
        for (std::size_t c = 0; c < to.size(); ++c) to[c] += table(r, c);
      }
    }
  });
}

}  // namespace cone::ops
#endif
