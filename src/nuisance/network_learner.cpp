#include "nuisance/network_learner.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "nuisance/arm_network.hpp"
#include "nuisance/divergence.hpp"
#include "nuisance/encoder_input.hpp"
#include "nuisance/network_schedule.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"
#include "nuisance/run_folds.hpp"

namespace cone {
namespace {

struct FittedArm {
  ArmNetwork network;
  double squared_error;  ///< summed over the held-out nodes
};

FittedArm fit_arm(const Context& context, const Dataset& data, const SparseMatrix& x,
                  const SelectionSplit& split, Arm arm, const ConeOptions& options) {
  const std::vector<NodeIndex> train = nodes_of_arm(data, split.fit, arm);
  const std::vector<NodeIndex> held_out = nodes_of_arm(data, split.score, arm);
  const SparseInput train_input(x, train);
  const SparseInput held_out_input(x, held_out);
  const std::vector<double> train_outcome = values_at(data.outcome, train);
  const std::vector<double> held_out_outcome = values_at(data.outcome, held_out);
  ArmNetwork network(x.cols(), options.hidden);
  const double mean_error =
      network.fit(context, {train_input, train_outcome}, {held_out_input, held_out_outcome},
                  adam_options(options), training_schedule(options));
  return {std::move(network), mean_error * static_cast<double>(held_out.size())};
}

struct FittedFold {
  std::vector<FittedArm> arms;
  std::vector<std::vector<double>> predicted;  ///< of the nodes that the task scores, by arm
};

FittedFold fit_fold(const Context& context, const Dataset& data, const SparseMatrix& x,
                    const FitTask& task, const ConeOptions& options) {
  const SparseInput scored(x, task.score);
  const auto num_arms = static_cast<double>(data.num_arms());
  FittedFold fold;
  for (std::size_t a = 0; a < data.num_arms(); ++a) {
    const Arm arm = static_cast<Arm>(a);
    const StageScope stage(context, arm_adjective(data.arms, arm),
                           static_cast<double>(a) / num_arms,
                           static_cast<double>(a + 1) / num_arms);
    fold.arms.push_back(fit_arm(context, data, x, early_stopping_split(task), arm, options));
    fold.predicted.push_back(fold.arms.back().network.predict(context, scored));
  }
  return fold;
}

/// The memory that fitting a fold takes, roughly: its features twice over and their transposes,
/// activations and their gradients, and the states of the weights.
std::uint64_t training_bytes(const SparseMatrix& x, const ConeOptions& options) {
  constexpr std::uint64_t kBytesPerEntry = 48;
  constexpr std::uint64_t kStates = 5;
  return kBytesPerEntry * x.num_entries() +
         sizeof(float) * options.hidden * (2 * x.rows() + kStates * x.cols());
}

}  // namespace

Nuisances NetworkLearner::fit(const Context& context, const Dataset& data,
                              const FitPlan& plan) const {
  validate(options_);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, training_nodes(plan));
  const SparseMatrix x = encoder_input(data.features);
  std::vector<FittedFold> folds(plan.tasks.size());
  run_folds(context, folds.size(), training_bytes(x, options_),
            [&](std::size_t t, const Context& fold_context) {
              folds[t] = fit_fold(fold_context, data, x, plan.tasks[t], options_);
            });
  OutcomeTable out;
  out.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  std::size_t num_held_out = 0;
  double squared_error = 0;
  for (std::size_t t = 0; t < folds.size(); ++t) {
    const FitTask& task = plan.tasks[t];
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    const PlausibleRange range = plausible_range(data, task.fit);
    num_held_out += early_stopping_split(task).score.size();
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      const Arm arm = static_cast<Arm>(a);
      const FittedArm& fitted = folds[t].arms[a];
      squared_error += fitted.squared_error;
      warn_of_divergence(fitted.network, t + 1, arm_adjective(data.arms, arm), out.warnings);
      const std::vector<double>& predicted = folds[t].predicted[a];
      for (std::size_t k = 0; k < rows.size(); ++k) out.mu(rows[k], a) = predicted[k];
      note_implausible(range, rows, arm, predicted, out);
    }
  }
  bound_predictions(out);
  out.selection_error = squared_error / static_cast<double>(num_held_out);
  Nuisances nuisances;
  nuisances.outcome = std::move(out);
  return nuisances;
}

}  // namespace cone
