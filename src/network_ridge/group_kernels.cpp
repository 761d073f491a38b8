#include "network_ridge/group_kernels.hpp"

#include <algorithm>
#include <map>

#include "cone/error.hpp"

#include "exec/large_matrix.hpp"
#include "linear/dense.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kKernelRowsPerTask = 64;
/// Columns of neighbour sums expanded to dense storage at a time.
constexpr std::size_t kDenseColumns = 4096;

/// The features whose inner products make up a group's kernel.
enum class ProductKind {
  kCounts,
  kNumeric,
  kSmooth,
  kCurves,
  kNeighbourCounts,
  kNeighbourNumeric,
  kNeighbours
};

ProductKind product_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::kOwnCounts:
      return ProductKind::kCounts;
    case GroupKind::kOwnNumeric:
      return ProductKind::kNumeric;
    case GroupKind::kOwnSmooth:
      return ProductKind::kSmooth;
    case GroupKind::kOwnCurves:
      return ProductKind::kCurves;
    case GroupKind::kNeighbourSumsCounts:
    case GroupKind::kNeighbourMeansCounts:
      return ProductKind::kNeighbourCounts;
    case GroupKind::kNeighbourSumsNumeric:
    case GroupKind::kNeighbourMeansNumeric:
      return ProductKind::kNeighbourNumeric;
    case GroupKind::kNeighbourEffects:
    case GroupKind::kMeanNeighbourEffects:
      return ProductKind::kNeighbours;
    case GroupKind::kCommunitiesCoarse:
    case GroupKind::kCommunities:
    case GroupKind::kCommunitiesFine:
      break;
  }
  throw Error(ErrorCode::kInternal, Fault{.what = "kernels: communities have no products"});
}

bool averages_neighbours(GroupKind kind) {
  return kind == GroupKind::kNeighbourMeansCounts || kind == GroupKind::kNeighbourMeansNumeric ||
         kind == GroupKind::kMeanNeighbourEffects;
}

/// M·M' of a sparse M, both triangles: row i gathers the columns it has entries in.
Matrix<double> multiply_sparse_rows(const Context& context, const SparseMatrix& m) {
  const SparseMatrix columns = m.transposed();
  Matrix<double> out = make_zero_matrix(context, m.rows(), m.rows());
  context.for_each_range(m.rows(), kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      context.poll();
      const SparseMatrix::Row row = m.row(i);
      const std::span<double> sums = out.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const SparseMatrix::Row column = columns.row(row.columns[k]);
        const double value = row.values[k];
        for (std::size_t c = 0; c < column.size(); ++c) {
          sums[column.columns[c]] += value * column.values[c];
        }
      }
    }
  });
  return out;
}

SparseMatrix take_neighbour_rows(const RidgeInputs& inputs,
                                 std::span<const std::uint32_t> positions) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (const std::uint32_t p : positions) {
    const auto neighbours = inputs.neighbours(p);
    columns.insert(columns.end(), neighbours.begin(), neighbours.end());
    offsets.push_back(columns.size());
  }
  std::vector<double> ones(columns.size(), 1.0);
  return {inputs.num_nodes(), std::move(offsets), std::move(columns), std::move(ones)};
}

/// The sums of the neighbours' count features, one sparse row per position.
SparseMatrix sum_neighbour_counts(const Context& context, const RidgeInputs& inputs,
                                  std::span<const std::uint32_t> positions) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::vector<double> total(inputs.counts.cols(), 0.0);
  std::vector<bool> is_there(inputs.counts.cols(), false);
  std::vector<std::uint32_t> found;
  for (const std::uint32_t p : positions) {
    context.poll();
    found.clear();
    for (const NodeIndex j : inputs.neighbours(p)) {
      const SparseMatrix::Row row = inputs.counts.row(j);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const std::uint32_t c = row.columns[k];
        if (!is_there[c]) found.push_back(c);
        is_there[c] = true;
        total[c] += row.values[k];
      }
    }
    std::sort(found.begin(), found.end());
    for (const std::uint32_t c : found) {
      columns.push_back(c);
      values.push_back(total[c]);
      total[c] = 0;
      is_there[c] = false;
    }
    offsets.push_back(columns.size());
  }
  return {inputs.counts.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

/// The inner products of these rows by dense blocks of columns, for sums that are mostly nonzero.
Matrix<double> multiply_neighbour_counts(const Context& context, const RidgeInputs& inputs,
                                         std::span<const std::uint32_t> positions) {
  Matrix<double> out = make_zero_matrix(context, positions.size(), positions.size());
  for (std::size_t first = 0; first < inputs.counts.cols(); first += kDenseColumns) {
    const std::size_t last = std::min(inputs.counts.cols(), first + kDenseColumns);
    Matrix<double> block = make_zero_matrix(context, positions.size(), last - first);
    context.for_each_range(
        positions.size(), kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            context.poll();
            const std::span<double> sums = block.row(i);
            for (const NodeIndex j : inputs.neighbours(positions[i])) {
              const SparseMatrix::Row row = inputs.counts.row(j);
              const auto from = std::lower_bound(row.columns.begin(), row.columns.end(), first);
              for (auto k = static_cast<std::size_t>(from - row.columns.begin());
                   k < row.size() && row.columns[k] < last; ++k) {
                sums[row.columns[k] - first] += row.values[k];
              }
            }
          }
        });
    ops::add_row_products(context, block.view(), out);
  }
  return out;
}

/// Whether the sums of the neighbours' count features are dense enough for dense blocks.
bool fills_sums(const RidgeInputs& inputs, std::span<const std::uint32_t> positions) {
  constexpr double kFilled = 0.1;
  double entries = 0;
  for (const std::uint32_t p : positions) {
    for (const NodeIndex j : inputs.neighbours(p)) {
      entries += static_cast<double>(inputs.counts.row(j).size());
    }
  }
  return entries > kFilled * static_cast<double>(positions.size() * inputs.counts.cols());
}

Matrix<double> take_positions(const Matrix<double>& table,
                              std::span<const std::uint32_t> positions) {
  Matrix<double> out(positions.size(), table.cols());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::copy_n(table.row(positions[i]).begin(), table.cols(), out.row(i).begin());
  }
  return out;
}

Matrix<double> sum_neighbour_numeric(const RidgeInputs& inputs,
                                     std::span<const std::uint32_t> positions) {
  Matrix<double> out(positions.size(), inputs.numeric.cols());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (const NodeIndex j : inputs.neighbours(positions[i])) {
      for (std::size_t c = 0; c < out.cols(); ++c) out(i, c) += inputs.numeric(j, c);
    }
  }
  return out;
}

Matrix<double> multiply_dense_rows(const Context& context, const Matrix<double>& rows) {
  Matrix<double> out = make_zero_matrix(context, rows.rows(), rows.rows());
  ops::add_row_products(context, rows.view(), out);
  return out;
}

Matrix<double> make_products(const Context& context, const RidgeInputs& inputs, ProductKind kind,
                             std::span<const std::uint32_t> positions) {
  switch (kind) {
    case ProductKind::kCounts:
      return multiply_sparse_rows(context, inputs.counts.select_rows(positions));
    case ProductKind::kNumeric:
      return multiply_dense_rows(context, take_positions(inputs.numeric, positions));
    case ProductKind::kSmooth:
      return multiply_dense_rows(context, take_positions(inputs.smooth, positions));
    case ProductKind::kCurves:
      return multiply_dense_rows(context, take_positions(inputs.curves, positions));
    case ProductKind::kNeighbourCounts:
      return fills_sums(inputs, positions)
                 ? multiply_neighbour_counts(context, inputs, positions)
                 : multiply_sparse_rows(context, sum_neighbour_counts(context, inputs, positions));
    case ProductKind::kNeighbourNumeric:
      return multiply_dense_rows(context, sum_neighbour_numeric(inputs, positions));
    case ProductKind::kNeighbours:
      break;
  }
  return multiply_sparse_rows(context, take_neighbour_rows(inputs, positions));
}

/// The factor s_i of GroupKernel.
double row_factor(const ArmKernels& kernels, const GroupKernel& group, std::size_t i) {
  return group.averages ? kernels.inverse_degree[i] : 1.0;
}

}  // namespace

ArmKernels make_kernels(const Context& context, const RidgeInputs& inputs,
                        std::span<const RidgeGroup> groups,
                        std::span<const std::uint32_t> positions) {
  ArmKernels out;
  for (const std::uint32_t p : positions) {
    out.inverse_degree.push_back(inputs.inverse_degree[p]);
    out.relative_degree.push_back(inputs.relative_degree[p]);
  }
  std::map<ProductKind, std::shared_ptr<const Matrix<double>>> made;
  for (const RidgeGroup& group : groups) {
    if (std::ranges::find(kCommunityKinds, group.kind) != kCommunityKinds.end()) {
      out.groups.push_back(
          {.labels = inputs.communities.label(group.kind, positions), .factor = 1 / group.scale});
      continue;
    }
    const ProductKind kind = product_of(group.kind);
    auto& products = made[kind];
    if (products == nullptr) {
      products =
          std::make_shared<const Matrix<double>>(make_products(context, inputs, kind, positions));
    }
    out.groups.push_back({.products = products,
                          .averages = averages_neighbours(group.kind),
                          .factor = 1 / group.scale});
  }
  return out;
}

ArmKernels select_kernels(const Context& context, const ArmKernels& kernels,
                          std::span<const std::size_t> rows) {
  ArmKernels out;
  for (const std::size_t i : rows) {
    out.inverse_degree.push_back(kernels.inverse_degree[i]);
    out.relative_degree.push_back(kernels.relative_degree[i]);
  }
  std::map<const Matrix<double>*, std::shared_ptr<const Matrix<double>>> made;
  for (const GroupKernel& group : kernels.groups) {
    if (group.products == nullptr) {
      GroupKernel& part = out.groups.emplace_back(GroupKernel{.factor = group.factor});
      for (const std::size_t i : rows) part.labels.push_back(group.labels[i]);
      continue;
    }
    auto& products = made[group.products.get()];
    if (products == nullptr) {
      context.poll();
      Matrix<double> part(rows.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
          part(i, j) = (*group.products)(rows[i], rows[j]);
        }
      }
      products = std::make_shared<const Matrix<double>>(std::move(part));
    }
    out.groups.push_back(
        {.products = products, .averages = group.averages, .factor = group.factor});
  }
  return out;
}

Matrix<double> sum_kernels(const Context& context, const ArmKernels& kernels,
                           std::span<const double> variances, std::span<const double> diagonal) {
  require(variances.size() == kernels.groups.size() && diagonal.size() == kernels.size(),
          "kernels: sizes differ");
  const std::size_t n = kernels.size();
  auto out = Matrix<double>::unfilled(n, n);
  context.for_each_range(n, kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<double> row = out.row(i).first(i + 1);
      std::ranges::fill(row, 0.0);
      for (std::size_t g = 0; g < variances.size(); ++g) {
        if (variances[g] == 0) continue;
        const GroupKernel& group = kernels.groups[g];
        if (group.products == nullptr) {
          const std::uint32_t own = group.labels[i];
          if (own == kNoCommunity) continue;
          const double shared = variances[g] * group.factor;
          for (std::size_t j = 0; j <= i; ++j) row[j] += group.labels[j] == own ? shared : 0.0;
          continue;
        }
        const double factor = variances[g] * group.factor * row_factor(kernels, group, i);
        const double* products = group.products->row(i).data();
        if (group.averages) {
          for (std::size_t j = 0; j <= i; ++j) {
            row[j] += factor * kernels.inverse_degree[j] * products[j];
          }
        } else {
          for (std::size_t j = 0; j <= i; ++j) row[j] += factor * products[j];
        }
      }
      row[i] += diagonal[i];
    }
  });
  return out;
}

}  // namespace cone
