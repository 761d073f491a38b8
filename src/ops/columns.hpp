#pragma once

#include <cstddef>
#include <span>

#include "cone/matrix.hpp"

// Products of a few hundred rows of a dense matrix D stored by columns: `columns` is D', columns ×
// rows. For so few rows BLAS spends as much time on packing as on multiplying. All run on the
// calling thread.

namespace cone::ops {

/// out = D u + start
void multiply_columns(MatrixView<const double> columns, std::span<const double> u, double start,
                      std::span<double> out);

/// out += D' r
void add_columns_transposed(MatrixView<const double> columns, std::span<const double> r,
                            std::span<double> out);

/// Adds the lower triangle of D'E to `products`, which is columns × columns; E has the shape of D.
/// For E = WD, W diagonal, this determines D'WD, which is symmetric.
void add_column_products(MatrixView<const double> columns, MatrixView<const double> others,
                         MatrixView<double> products);

}  // namespace cone::ops
