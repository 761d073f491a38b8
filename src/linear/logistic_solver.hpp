#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "linear/logistic.hpp"
#include "linear/logistic_objective.hpp"

namespace cone {

/// fit_logistic for several C on the same data: each solution starts from the previous one, so
/// visit C in ascending order.
class LogisticSolver {
 public:
  /// One label per row of x. Throws Error(kData) unless every label occurs.
  LogisticSolver(const Context& context, CentredMatrix x, std::span<const std::uint8_t> labels,
                 std::size_t num_labels);

  /// On an objective, from `start` on.
  LogisticSolver(const Context& context, std::unique_ptr<LogisticObjective> objective,
                 std::span<const double> start);

  LogisticFit fit(double c, double tolerance);
  /// A fit that is accurate enough to compare penalties: where the Hessian is explicit, it ends
  /// with a Newton step that is not verified by a further pass over the data, once the estimated
  /// error is about `tolerance` times the spread of the logits.
  LogisticFit fit_roughly(double c, double tolerance);
  /// The same as a point of the objective.
  std::vector<double> solve_roughly(double c, double tolerance);
  /// The next fit starts there.
  void move_to(std::span<const double> point) { point_.assign(point.begin(), point.end()); }

 private:
  void start_at(std::span<const double> start);

  struct Solution {
    std::vector<double> point;
    bool converged = false;
    int num_steps = 0;
  };
  Solution run_newton(double c, double tolerance, bool may_end_with_step);
  LogisticFit describe(const Solution& solution) const;

  const Context& context_;
  std::unique_ptr<LogisticObjective> objective_;
  std::vector<double> point_;
  double null_loss_ = 0;           // the objective of the null model at C = 1 ...
  double null_gradient_norm_ = 0;  // ... and the norm of its gradient; both are proportional to C
};

}  // namespace cone
