#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "linear/explicit_logistic.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_solver.hpp"

namespace cone {

/// Logistic regressions (see fit_logistic) on rows that are assigned to folds: one on all rows, and
/// one per fold with that fold held out, for several C.
///
/// The rows are read into one block, fold by fold. With many rows, holding out a fold changes
/// little: the regression on all rows is followed along C, and the others start from it, by one
/// Newton step without a pass over the rows where that is accurate enough, since sums over rows are
/// stored per fold. For matrices that prefer an explicit Hessian.
class LogisticFolds {
 public:
  /// One label per row of X. Throws Error(kData) unless every label occurs outside of each fold.
  LogisticFolds(const Context& context, const FeatureMatrix& x,
                std::span<const std::span<const std::uint32_t>> folds,
                std::span<const std::uint8_t> labels, std::size_t num_labels);

  /// Σ −log P(label) of every fold under the regression that holds it out, fitted to `tolerance`
  /// (see LogisticSolver::fit_roughly). Visit C in ascending order.
  std::vector<double> held_out_losses(double c, double tolerance);
  /// The regression on all rows.
  LogisticFit fit(double c, double tolerance) { return whole_->fit(c, tolerance); }

 private:
  /// A solver, and its objective.
  struct Part {
    ExplicitLogistic* objective;
    std::unique_ptr<LogisticSolver> solver;
  };

  ExplicitLogistic* objective_;  // of whole_
  std::unique_ptr<LogisticSolver> whole_;
  std::vector<Part> without_;  // one per held-out fold
};

}  // namespace cone
