#include "nuisance/network_learner.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "base/numeric.hpp"
#include "nuisance/arm_network.hpp"
#include "nuisance/divergence.hpp"
#include "nuisance/encoder_input.hpp"
#include "nuisance/fold_stage.hpp"
#include "nuisance/network_schedule.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"

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

}  // namespace

Nuisances NetworkLearner::fit(const Context& context, const Dataset& data,
                              const FitPlan& plan) const {
  validate(options_);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, training_nodes(plan));
  const SparseMatrix x = encoder_input(data.features);
  const std::size_t num_arms = data.num_arms();
  OutcomeTable out;
  out.mu = Matrix<double>(plan.scored.size(), num_arms, kNaN);
  std::size_t num_held_out = 0;
  double squared_error = 0;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const FitTask& task = plan.tasks[t];
    const FoldStage fold(context, t, plan.tasks.size());
    const SparseInput scored(x, task.score);
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    const PlausibleRange range = plausible_range(data, task.fit);
    num_held_out += early_stopping_split(task).score.size();
    for (std::size_t a = 0; a < num_arms; ++a) {
      const Arm arm = static_cast<Arm>(a);
      const std::string name = arm_adjective(data.arms, arm);
      const StageScope stage(context, name, static_cast<double>(a) / static_cast<double>(num_arms),
                             static_cast<double>(a + 1) / static_cast<double>(num_arms));
      const FittedArm fitted = fit_arm(context, data, x, early_stopping_split(task), arm, options_);
      squared_error += fitted.squared_error;
      warn_of_divergence(fitted.network, t + 1, name, out.warnings);
      const std::vector<double> predicted = fitted.network.predict(context, scored);
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
