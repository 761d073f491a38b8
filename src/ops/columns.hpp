#pragma once

#include <cstddef>
#include <span>

#include "cone/matrix.hpp"

// Products of a few hundred rows of a dense matrix D that is given by its columns, each in one
// piece: `columns` is D', columns × rows. BLAS spends as much time on packing so few rows as on
// multiplying them. All run on the calling thread.

namespace cone::ops {

/// out = D u + start
void multiply_columns(MatrixView<const double> columns, std::span<const double> u, double start,
                      std::span<double> out);

/// out += D' r
void add_columns_transposed(MatrixView<const double> columns, std::span<const double> r,
                            std::span<double> out);

/// Adds the lower triangle of D'E to `products`, which is columns × columns; E has the shape of D.
/// For E = WD, W diagonal, it is all of D'WD.
void add_column_products(MatrixView<const double> columns, MatrixView<const double> others,
                         MatrixView<double> products);

}  // namespace cone::ops
