#include "cone/represent/feature_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cone {
namespace {

constexpr double kRowSum = 100;

bool is_bag_of_words(const SparseMatrix& features) {
  const auto values = features.values();
  return 2 * features.num_entries() < features.rows() * features.cols() &&
         std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
}

}  // namespace

std::vector<double> scaled_features(const SparseMatrix& features) {
  std::vector<double> values(features.values().begin(), features.values().end());
  if (is_bag_of_words(features)) {
    for (std::size_t i = 0; i < features.rows(); ++i) {
      double sum = 0;
      for (const double value : features.row(i).values) sum += value;
      if (sum <= 0) continue;
      for (std::uint64_t k = features.offsets()[i]; k < features.offsets()[i + 1]; ++k) {
        values[k] *= kRowSum / sum;
      }
    }
    return values;
  }
  // The largest value is taken out of the squares, which could otherwise overflow.
  std::vector<double> largest(features.cols());
  for (std::size_t k = 0; k < values.size(); ++k) {
    double& column = largest[features.columns()[k]];
    column = std::max(column, std::abs(values[k]));
  }
  std::vector<double> mean_square(features.cols());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::uint32_t j = features.columns()[k];
    if (largest[j] > 0) values[k] /= largest[j];
    mean_square[j] += values[k] * values[k] / static_cast<double>(features.rows());
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double square = mean_square[features.columns()[k]];
    if (square > 0) values[k] /= std::sqrt(square);
  }
  return values;
}

SparseMatrix scaled_matrix(const SparseMatrix& features) {
  return {features.cols(),
          {features.offsets().begin(), features.offsets().end()},
          {features.columns().begin(), features.columns().end()},
          scaled_features(features)};
}

}  // namespace cone
