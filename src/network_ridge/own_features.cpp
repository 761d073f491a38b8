#include "network_ridge/own_features.hpp"

#include <algorithm>

#include "cone/error.hpp"

#include "ops/inverse.hpp"

namespace cone {
namespace {

/// Rows that are joined at a time: enough for every core, few enough to fit in memory.
constexpr std::size_t kJoinedRows = 32768;
constexpr std::size_t kCopiedRowsPerPiece = 512;

bool is_own(GroupKind kind) {
  return kind == GroupKind::kOwnCounts || kind == GroupKind::kOwnNumeric ||
         kind == GroupKind::kOwnSmooth || kind == GroupKind::kOwnCurves;
}

/// The dense table of a group; nullptr for count features, which are sparse.
const Matrix<double>* dense_table(const RidgeInputs& inputs, GroupKind kind) {
  switch (kind) {
    case GroupKind::kOwnNumeric:
      return &inputs.numeric;
    case GroupKind::kOwnSmooth:
      return &inputs.smooth;
    case GroupKind::kOwnCurves:
      return &inputs.curves;
    default:
      return nullptr;
  }
}

/// Calls use(features, first row, number of rows) for blocks of the positions, in order.
template <class Use>
void for_each_block(const Context& context, const OwnFeatures& features,
                    std::span<const std::uint32_t> positions, std::size_t extra_columns,
                    const Use& use) {
  for (std::size_t first = 0; first < positions.size(); first += kJoinedRows) {
    const std::size_t rows = std::min(kJoinedRows, positions.size() - first);
    auto block = Matrix<double>::unfilled(rows, features.size() + extra_columns);
    const std::span<const std::uint32_t> chosen = positions.subspan(first, rows);
    context.for_each_range(rows, kCopiedRowsPerPiece, [&](std::size_t begin, std::size_t end) {
      features.copy_rows(chosen, begin, end, block.view());
    });
    use(block, first, rows);
  }
}

MatrixView<const double> rows_of(const Matrix<double>& m, std::size_t first, std::size_t rows) {
  return {m.data() + first * m.cols(), rows, m.cols(), m.cols()};
}

}  // namespace

bool are_own_features(std::span<const RidgeGroup> groups) {
  return std::all_of(groups.begin(), groups.end(),
                     [](const RidgeGroup& group) { return is_own(group.kind); });
}

OwnFeatures::OwnFeatures(const RidgeInputs& inputs, std::span<const RidgeGroup> groups)
    : inputs_(inputs) {
  require(are_own_features(groups), "network ridge: a group involves neighbours");
  for (const RidgeGroup& group : groups) {
    const Matrix<double>* table = dense_table(inputs, group.kind);
    kinds_.push_back(group.kind);
    first_.push_back(first_.back() + (table != nullptr ? table->cols() : inputs.counts.cols()));
  }
}

void OwnFeatures::copy_rows(std::span<const std::uint32_t> positions, std::size_t begin,
                            std::size_t end, MatrixView<double> out) const {
  for (std::size_t i = begin; i < end; ++i) {
    double* to = out.data() + i * out.stride();
    for (std::size_t g = 0; g < kinds_.size(); ++g) {
      if (const Matrix<double>* table = dense_table(inputs_, kinds_[g])) {
        std::ranges::copy(table->row(positions[i]), to + first_[g]);
        continue;
      }
      std::fill(to + first_[g], to + first_[g + 1], 0.0);
      const SparseMatrix::Row row = inputs_.counts.row(positions[i]);
      for (std::size_t k = 0; k < row.size(); ++k) to[first_[g] + row.columns[k]] = row.values[k];
    }
  }
}

Matrix<double> OwnFeatures::project(const Context& context,
                                    std::span<const std::uint32_t> positions,
                                    const Matrix<double>& v) const {
  Matrix<double> out(size(), v.cols());
  for_each_block(context, *this, positions, 0,
                 [&](const Matrix<double>& block, std::size_t first, std::size_t rows) {
                   const Matrix<double> part =
                       ops::multiply_transposed(context, block.view(), rows_of(v, first, rows));
                   for (std::size_t k = 0; k < out.values().size(); ++k) {
                     out.values()[k] += part.values()[k];
                   }
                 });
  return out;
}

Matrix<double> OwnFeatures::expand(const Context& context, std::span<const std::uint32_t> positions,
                                   const Matrix<double>& t) const {
  auto out = Matrix<double>::unfilled(positions.size(), t.cols());
  for_each_block(context, *this, positions, 0,
                 [&](const Matrix<double>& block, std::size_t first, std::size_t) {
                   const Matrix<double> part = ops::multiply(context, block.view(), t.view());
                   std::ranges::copy(part.values(), out.data() + first * out.cols());
                 });
  return out;
}

Matrix<double> sum_products(const Context& context, const OwnFeatures& features,
                            std::span<const std::uint32_t> positions, const Matrix<double>& extra) {
  require(extra.rows() == positions.size(),
          "network ridge: the extra columns are not of these positions");
  const std::size_t width = features.size() + extra.cols();
  Matrix<double> out(width, width);
  for_each_block(
      context, features, positions, extra.cols(),
      [&](Matrix<double>& block, std::size_t first, std::size_t rows) {
        for (std::size_t i = 0; i < rows; ++i) {
          std::ranges::copy(extra.row(first + i),
                            block.row(i).begin() + static_cast<std::ptrdiff_t>(features.size()));
        }
        const Matrix<double> part = ops::multiply_transposed(context, block.view(), block.view());
        for (std::size_t k = 0; k < out.values().size(); ++k) {
          out.values()[k] += part.values()[k];
        }
      });
  return out;
}

}  // namespace cone
