#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "linear/logistic.hpp"
#include "linear/logistic_objective.hpp"

namespace cone {

/// fit_logistic for several C on the same data: each solution starts from the one before it, so
/// visit C in ascending order.
class LogisticSolver {
 public:
  /// One label per row of x. Throws Error(kData) unless every label occurs.
  LogisticSolver(const Context& context, CentredMatrix x, std::span<const std::uint8_t> labels,
                 std::size_t num_labels);

  LogisticFit fit(double c, double tolerance);
  /// A fit that is good enough to compare penalties: where the Hessian is at hand, it ends with a
  /// Newton step that no further pass over the data checks, once that leaves an error of about
  /// `tolerance` times the slopes.
  LogisticFit fit_roughly(double c, double tolerance);

 private:
  LogisticFit run_newton(double c, double tolerance, bool may_end_with_step);
  LogisticFit fit_at(std::span<const double> point) const;

  const Context& context_;
  std::unique_ptr<LogisticObjective> objective_;
  std::vector<double> point_;
  double null_loss_ = 0;           // the objective of the null model at C = 1 ...
  double null_gradient_norm_ = 0;  // ... and its gradient; both are proportional to C
};

}  // namespace cone
