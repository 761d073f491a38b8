#include "ops/columns.hpp"

#include <algorithm>

#include "cone/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/columns.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of rows processed together: enough independent sums to hide the latency of an addition.
constexpr std::size_t kVectorsOfRows = 8;
/// Columns processed together.
constexpr std::size_t kColumnsAtATime = 4;

/// out[i..] for kVectors vectors of rows.
template <std::size_t kVectors, class D>
HWY_INLINE void multiply_rows(D d, MatrixView<const double> columns, const double* u, double start,
                              std::size_t i, double* out) {
  hn::Vec<D> sums[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::Set(d, start);
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    const double* const column = columns.data() + j * columns.stride() + i;
    const hn::Vec<D> factor = hn::Set(d, u[j]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(factor, hn::LoadU(d, column + v * hn::Lanes(d)), sums[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + i + v * hn::Lanes(d));
}

void multiply_block(MatrixView<const double> columns, const double* u, double start, double* out) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> single;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + kVectorsOfRows * lanes <= columns.cols(); i += kVectorsOfRows * lanes) {
    multiply_rows<kVectorsOfRows>(d, columns, u, start, i, out);
  }
  for (; i + lanes <= columns.cols(); i += lanes) multiply_rows<1>(d, columns, u, start, i, out);
  for (; i < columns.cols(); ++i) multiply_rows<1>(single, columns, u, start, i, out);
}

/// Up to four columns from `first` on.
void add_transposed_columns(MatrixView<const double> columns, const double* r, std::size_t first,
                            double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = std::min(kColumnsAtATime, columns.rows() - first);
  const double* column[kColumnsAtATime];
  hn::Vec<decltype(d)> even[kColumnsAtATime];
  hn::Vec<decltype(d)> odd[kColumnsAtATime];
  for (std::size_t k = 0; k < kColumnsAtATime; ++k) {
    column[k] = columns.data() + (first + std::min(k, count - 1)) * columns.stride();
    even[k] = odd[k] = hn::Zero(d);
  }
  std::size_t i = 0;
  for (; i + 2 * lanes <= columns.cols(); i += 2 * lanes) {
    const auto r_even = hn::LoadU(d, r + i);
    const auto r_odd = hn::LoadU(d, r + i + lanes);
    for (std::size_t k = 0; k < kColumnsAtATime; ++k) {
      even[k] = hn::MulAdd(r_even, hn::LoadU(d, column[k] + i), even[k]);
      odd[k] = hn::MulAdd(r_odd, hn::LoadU(d, column[k] + i + lanes), odd[k]);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[k], odd[k])));
    for (std::size_t rest = i; rest < columns.cols(); ++rest) sum += r[rest] * column[k][rest];
    out[first + k] += sum;
  }
}

void add_transposed_block(MatrixView<const double> columns, const double* r, double* out) {
  for (std::size_t j = 0; j < columns.rows(); j += kColumnsAtATime) {
    add_transposed_columns(columns, r, j, out);
  }
}

/// A tile of the products: rows from `a` on, columns from `b` on, within the lower triangle.
void add_tile(MatrixView<const double> columns, MatrixView<const double> others, std::size_t a,
              std::size_t b, MatrixView<double> products) {
  constexpr std::size_t kSide = kColumnsAtATime;
  const hn::ScalableTag<double> d;
  const std::size_t last = columns.rows() - 1;
  const double* left[kSide];
  const double* right[kSide];
  hn::Vec<decltype(d)> sums[kSide][kSide];
  for (std::size_t k = 0; k < kSide; ++k) {
    left[k] = columns.data() + std::min(a + k, last) * columns.stride();
    right[k] = others.data() + std::min(b + k, last) * others.stride();
    for (std::size_t m = 0; m < kSide; ++m) sums[k][m] = hn::Zero(d);
  }
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= columns.cols(); i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> factor[kSide];
    for (std::size_t m = 0; m < kSide; ++m) factor[m] = hn::LoadU(d, right[m] + i);
    for (std::size_t k = 0; k < kSide; ++k) {
      const auto value = hn::LoadU(d, left[k] + i);
      for (std::size_t m = 0; m < kSide; ++m) {
        sums[k][m] = hn::MulAdd(value, factor[m], sums[k][m]);
      }
    }
  }
  for (std::size_t k = 0; k < kSide && a + k <= last; ++k) {
    for (std::size_t m = 0; m < kSide && b + m <= a + k; ++m) {
      double sum = hn::GetLane(hn::SumOfLanes(d, sums[k][m]));
      for (std::size_t rest = i; rest < columns.cols(); ++rest) {
        sum += left[k][rest] * right[m][rest];
      }
      products(a + k, b + m) += sum;
    }
  }
}

void add_products_of_block(MatrixView<const double> columns, MatrixView<const double> others,
                           MatrixView<double> products) {
  for (std::size_t a = 0; a < columns.rows(); a += kColumnsAtATime) {
    for (std::size_t b = 0; b <= a; b += kColumnsAtATime) add_tile(columns, others, a, b, products);
  }
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(multiply_block);
HWY_EXPORT(add_transposed_block);
HWY_EXPORT(add_products_of_block);

void multiply_columns(MatrixView<const double> columns, std::span<const double> u, double start,
                      std::span<double> out) {
  require(u.size() == columns.rows() && out.size() == columns.cols(),
          "multiply columns: sizes differ");
  HWY_DYNAMIC_DISPATCH(multiply_block)(columns, u.data(), start, out.data());
}

void add_columns_transposed(MatrixView<const double> columns, std::span<const double> r,
                            std::span<double> out) {
  require(r.size() == columns.cols() && out.size() == columns.rows(),
          "add columns transposed: sizes differ");
  HWY_DYNAMIC_DISPATCH(add_transposed_block)(columns, r.data(), out.data());
}

void add_column_products(MatrixView<const double> columns, MatrixView<const double> others,
                         MatrixView<double> products) {
  require(others.rows() == columns.rows() && others.cols() == columns.cols() &&
              products.rows() == columns.rows() && products.cols() == columns.rows(),
          "add column products: sizes differ");
  HWY_DYNAMIC_DISPATCH(add_products_of_block)(columns, others, products);
}

}  // namespace cone::ops
#endif
