#include "nuisance/network_model.hpp"

#include <limits>
#include <utility>
#include <vector>

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
                  const SelectionSplit& split, std::uint8_t arm, const ConeOptions& options) {
  const std::vector<NodeIndex> train = nodes_of_arm(data, split.fit, arm);
  const std::vector<NodeIndex> held_out = nodes_of_arm(data, split.score, arm);
  const SparseInput train_input(x, train);
  const SparseInput held_out_input(x, held_out);
  const std::vector<double> train_outcome = values_at(data.outcome, train);
  const std::vector<double> held_out_outcome = values_at(data.outcome, held_out);
  ArmNetwork network(x.cols(), options.hidden);
  const double mean_error =
      network.fit(context, {train_input, train_outcome}, {held_out_input, held_out_outcome},
                  network_schedule(options));
  return {std::move(network), mean_error * static_cast<double>(held_out.size())};
}

}  // namespace

OutcomePredictions predict_by_networks(const Context& context, const Dataset& data,
                                       const FitPlan& plan, const ConeOptions& options) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require_both_arms(data, learning_plan(plan));
  const SparseMatrix x = encoder_input(data.features);
  OutcomePredictions out;
  out.mu0.assign(data.num_nodes(), std::numeric_limits<double>::quiet_NaN());
  out.mu1 = out.mu0;
  std::size_t num_held_out = 0;
  double squared_error = 0;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const FitTask& task = plan.tasks[t];
    const FoldStage fold(context, t, plan.tasks.size());
    const SparseInput scored(x, task.score);
    num_held_out += learning_split(task).score.size();
    for (const std::uint8_t arm : {std::uint8_t{0}, std::uint8_t{1}}) {
      const StageScope stage(context, arm == 1 ? "treated" : "untreated", 0.5 * arm,
                             0.5 + 0.5 * arm);
      const FittedArm fitted = fit_arm(context, data, x, learning_split(task), arm, options);
      squared_error += fitted.squared_error;
      warn_of_divergence(fitted.network, t + 1, arm, out.warnings);
      const std::vector<double> predicted = fitted.network.predict(context, scored);
      std::vector<double>& mu = arm == 1 ? out.mu1 : out.mu0;
      for (std::size_t k = 0; k < predicted.size(); ++k) mu[task.score[k]] = predicted[k];
      note_implausible(plausible_range(data, task.fit), task.score, arm, predicted, out);
    }
  }
  bound_predictions(out);
  out.selection_error = squared_error / static_cast<double>(num_held_out);
  return out;
}

}  // namespace cone
