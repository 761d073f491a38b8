#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/context.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_objective.hpp"

namespace cone {

/// fit_logistic for several C on the same data: each solution starts from the one before it, so
/// visit C in ascending order.
class LogisticSolver {
 public:
  /// Throws Error(kData) unless every label occurs.
  LogisticSolver(const Context& context, FeatureMatrix x, std::span<const std::uint8_t> labels,
                 std::size_t num_labels);

  LogisticFit fit(double c, double tolerance);

 private:
  LogisticFit current_fit() const;

  const Context& context_;
  std::unique_ptr<LogisticObjective> objective_;
  std::vector<double> point_;
  double null_loss_ = 0;           // the objective of the null model at C = 1 ...
  double null_gradient_norm_ = 0;  // ... and its gradient; both are proportional to C
};

}  // namespace cone
