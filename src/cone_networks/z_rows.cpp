#include "cone_networks/z_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cone {
namespace {

/// The relative rounding error of sums of hundreds of single-precision terms.
constexpr double kRoundingSpreadOfZ = 1e-5;

}  // namespace

ColumnUnits column_units(MatrixView<const float> rows) {
  const auto n = static_cast<double>(rows.rows());
  std::vector<double> mean(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) mean[j] += rows(i, j) / n;
  }
  std::vector<double> variance(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      variance[j] += (rows(i, j) - mean[j]) * (rows(i, j) - mean[j]) / n;
    }
  }
  ColumnUnits units;
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    const double sd = std::sqrt(variance[j]);
    double largest = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(rows(i, j))));
    }
    units.mean.push_back(static_cast<float>(mean[j]));
    units.scale.push_back(sd > kRoundingSpreadOfZ * largest ? static_cast<float>(sd) : 1.0F);
  }
  return units;
}

void standardise(const ColumnUnits& units, Matrix<float>& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = (row[j] - units.mean[j]) / units.scale[j];
    }
  }
}

FeatureMatrix as_features(const Matrix<float>& rows) {
  Matrix<double> values(rows.rows(), rows.cols());
  std::copy(rows.values().begin(), rows.values().end(), values.values().begin());
  return FeatureMatrix(std::move(values));
}

}  // namespace cone
