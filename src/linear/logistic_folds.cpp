#include "linear/logistic_folds.hpp"

#include <utility>

namespace cone {
namespace {

/// Steps without a pass over the rows start from the regression on all rows, which must be closer
/// to its minimum than they come to theirs.
constexpr double kShareOfTolerance = 0.2;

LabelledRows gather_folds(const Context& context, const FeatureMatrix& x,
                          std::span<const std::span<const std::uint32_t>> folds,
                          std::span<const std::uint8_t> labels, std::size_t num_labels) {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> label;
  std::vector<std::size_t> fold_ends;
  for (const std::span<const std::uint32_t> fold : folds) {
    for (const std::uint32_t i : fold) {
      rows.push_back(i);
      label.push_back(labels[i]);
    }
    fold_ends.push_back(rows.size());
  }
  return {CentredMatrix(context, x, rows), std::move(label), num_labels, std::move(fold_ends)};
}

}  // namespace

LogisticFolds::LogisticFolds(const Context& context, const FeatureMatrix& x,
                             std::span<const std::span<const std::uint32_t>> folds,
                             std::span<const std::uint8_t> labels, std::size_t num_labels) {
  const auto rows =
      std::make_shared<const LabelledRows>(gather_folds(context, x, folds, labels, num_labels));
  const auto make = [&](std::size_t held_out) {
    return std::make_unique<ExplicitLogistic>(context, rows, held_out);
  };
  auto objective = make(kNoFold);
  objective_ = objective.get();
  const std::span<const double> start = objective_->null_point();
  whole_ = std::make_unique<LogisticSolver>(context, std::move(objective), start);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    auto without = make(f);
    without->adopt_if_better(0, *objective_);
    ExplicitLogistic* const part = without.get();
    without_.push_back(
        {part, std::make_unique<LogisticSolver>(context, std::move(without), part->point())});
  }
}

std::vector<double> LogisticFolds::held_out_losses(double c, double tolerance) {
  // Fewer rows under the same C are penalised like all rows under a smaller C.
  const double share = 1 - 1 / static_cast<double>(without_.size());
  whole_->solve_roughly(c * share, kShareOfTolerance * tolerance);
  std::vector<double> losses;
  for (std::size_t f = 0; f < without_.size(); ++f) {
    auto& [objective, solver] = without_[f];
    if (c == 0) {
      losses.push_back(objective_->fold_loss(f, objective->null_point()));
      continue;
    }
    objective->adopt_if_better(c, *objective_);
    solver->move_to(objective->point());
    losses.push_back(objective_->fold_loss(f, solver->solve_roughly(c, tolerance)));
  }
  return losses;
}

}  // namespace cone
