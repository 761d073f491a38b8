#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "linear/logistic_objective.hpp"

namespace cone {

/// The loss Σ −log P(label) of some rows at a point, and its gradient.
struct LossSlope {
  double loss = 0;
  std::vector<double> gradient;

  void add(const LossSlope& other);
};

/// The second derivatives of the loss.
struct LossCurvature {
  std::vector<Matrix<double>> products;  ///< X'WX of labels a ≥ b, lower triangles
  Matrix<double> weighted_sums;          ///< pairs × columns, then the sum of the weights

  void add(const LossCurvature& other);
};

/// The index of the pair of labels a ≥ b.
inline std::size_t pair_of_labels(std::size_t a, std::size_t b) { return a * (a + 1) / 2 + b; }

/// Passes over the rows of a fold at a point (see LogisticObjective), by blocks of rows that stay
/// in the cache for all products. Sums are over all ranks.
class LogisticPasses {
 public:
  /// The context must outlive it.
  LogisticPasses(const Context& context, std::shared_ptr<const LabelledRows> rows)
      : context_(context), rows_(std::move(rows)) {}

  double measure_loss(std::size_t fold, std::span<const double> point) const;
  LossSlope measure_slope(std::size_t fold, std::span<const double> point) const;
  LossCurvature measure_curvature(std::size_t fold, std::span<const double> point) const;

 private:
  const Communicator& comm() const { return rows_->x.comm(); }
  /// body(labels, columns × rows, probabilities) for blocks of rows; returns their loss.
  template <class Body>
  double pass_over(std::size_t fold, std::span<const double> point, const Body& body) const;

  const Context& context_;
  std::shared_ptr<const LabelledRows> rows_;
};

}  // namespace cone
