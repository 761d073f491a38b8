#include "cone_networks/cone_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "cone_networks/combined_representation.hpp"
#include "nuisance/fold_stage.hpp"
#include "nuisance/network_schedule.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/propensity_fit.hpp"

namespace cone {
namespace {

/// Of the time that a fold takes; a guess for the progress bar.
constexpr double kEncoderShare = 0.7;

/// The nodes' share of treated ones, a member of each arm added so that no probability is 0 or 1.
PropensityFit constant_propensity(const std::vector<std::uint8_t>& treatment,
                                  std::size_t num_inputs) {
  const double treated = std::accumulate(treatment.begin(), treatment.end(), 0.0);
  const double control = static_cast<double>(treatment.size()) - treated;
  const double share = (treated + 1) / (treated + control + 2);
  return {.model = {.intercepts = {std::log(share / (1 - share))},
                    .coefficients = Matrix<double>(1, num_inputs),
                    .converged = true},
          .held_out_loss =
              -(treated * std::log(share) + control * std::log(1 - share)) / (treated + control)};
}

/// A task over places in `nodes` rather than nodes: fit on all, choose by folds.
FitTask task_over(const Dataset& data, std::span<const NodeIndex> nodes, int num_folds,
                  std::uint64_t seed) {
  FitTask task;
  task.fit.resize(nodes.size());
  std::iota(task.fit.begin(), task.fit.end(), NodeIndex{0});
  const auto place = [&](NodeIndex node) {
    return static_cast<NodeIndex>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                  nodes.begin());
  };
  for (auto& fold : make_folds(data, nodes, num_folds, seed, Stream::kPropensityFolds)) {
    SelectionSplit split;
    for (const NodeIndex node : fold) split.score.push_back(place(node));
    std::sort(split.score.begin(), split.score.end());
    std::set_difference(task.fit.begin(), task.fit.end(), split.score.begin(), split.score.end(),
                        std::back_inserter(split.fit));
    task.selection.push_back(std::move(split));
  }
  return task;
}

/// Logistic regression on the standardised representations z of `nodes` (ascending).
PropensityFit fit_propensity(const Context& context, const Dataset& data, const Matrix<float>& z,
                             std::span<const NodeIndex> nodes, int num_folds) {
  const std::vector<std::uint8_t> treatment = values_at(data.treatment, nodes);
  const auto treated = std::count(treatment.begin(), treatment.end(), 1);
  const auto rarer = std::min<std::ptrdiff_t>(treated, std::ssize(treatment) - treated);
  if (rarer < 2) return constant_propensity(treatment, z.cols());
  const FitTask task = task_over(
      data, nodes, static_cast<int>(std::min<std::ptrdiff_t>(num_folds, rarer)), context.seed());
  // Standardised columns have variance 1, up to the difference of training and other nodes.
  const auto total_variance = static_cast<double>(z.cols());
  return fit_propensities(context, as_features(z), treatment, data.num_arms(), total_variance,
                          {&task, 1})[0];
}

FoldTraining training_summary(const Representation& representation) {
  const EpochLosses& best = representation.history[representation.best_epoch];
  return {.status = representation.status,
          .epochs = representation.history.size() - 1,
          .best_epoch = representation.best_epoch,
          .validation_outcome_loss = best.validation_outcome,
          .validation_treatment_loss = best.validation_treatment};
}

/// The rows of z whose nodes (`nodes[k]` is that of row k) are of this arm.
Matrix<float> rows_of_arm(const Dataset& data, const Matrix<float>& z,
                          std::span<const NodeIndex> nodes, std::uint8_t arm) {
  Matrix<float> rows(nodes_of_arm(data, nodes, arm).size(), z.cols());
  std::size_t next = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (data.treatment[nodes[k]] != arm) continue;
    const auto row = z.row(k);
    std::copy(row.begin(), row.end(), rows.row(next++).begin());
  }
  return rows;
}

ConeFold fit_fold(const Context& context, const Dataset& data, const FitTask& task,
                  const ConeOptions& options, int num_folds) {
  const std::vector<NodeIndex>& train = learning_split(task).fit;
  const std::vector<NodeIndex>& validation = learning_split(task).score;
  Representation representation = [&] {
    const StageScope stage(context, "encoder", 0, kEncoderShare);
    return train_representation(context, data, options, train, validation);
  }();
  const StageScope stage(context, "outcomes and propensity", kEncoderShare, 1);
  Matrix<float> z_train = combined_rows(representation.nodes, train);
  Matrix<float> z_validation = combined_rows(representation.nodes, validation);
  const ColumnUnits units = column_units(std::as_const(z_train).view());
  standardise(units, z_train);
  standardise(units, z_validation);
  const PropensityFit propensity =
      fit_propensity(context, data, z_validation, validation, num_folds);
  ConeFold fold{.encoder = std::move(representation.model),
                .z_units = units,
                .control = ArmNetwork(z_train.cols(), options.hidden),
                .treated = ArmNetwork(z_train.cols(), options.hidden),
                .propensity = propensity.model,
                .training = training_summary(representation)};
  fold.training.propensity_loss = propensity.held_out_loss;
  double squared_error = 0;
  for (const auto& [arm, network] :
       {std::pair{std::uint8_t{0}, &fold.control}, std::pair{std::uint8_t{1}, &fold.treated}}) {
    const DenseInput train_input(rows_of_arm(data, z_train, train, arm));
    const DenseInput held_out_input(rows_of_arm(data, z_validation, validation, arm));
    const auto outcomes = values_at(data.outcome, nodes_of_arm(data, train, arm));
    const auto held_out = values_at(data.outcome, nodes_of_arm(data, validation, arm));
    squared_error += static_cast<double>(held_out.size()) *
                     network->fit(context, {train_input, outcomes}, {held_out_input, held_out},
                                  network_schedule(options));
  }
  const double scale = fold.encoder.outcome_scale;
  fold.training.outcome_error =
      squared_error / (static_cast<double>(validation.size()) * scale * scale);
  return fold;
}

}  // namespace

ConeFold fit_cone_fold(const Context& context, const Dataset& data, const FitTask& task,
                       const ConeOptions& options, int selection_folds) {
  validate(options);
  require_valid({.tasks = {task}, .scored = task.score}, data.num_nodes());
  require_every_arm(data, learning_plan({.tasks = {task}}));
  return fit_fold(context, data, task, options, selection_folds);
}

ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan_options,
                 const ConeOptions& options) {
  validate(plan_options);
  validate(options);
  const FitPlan plan = make_plan(context, data, plan_options, context.seed());
  require_valid(plan, data.num_nodes());
  require_every_arm(data, learning_plan(plan));
  ConeFit fit{.plan = plan_options, .seed = context.seed(), .data_checksum = data.checksum()};
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const FoldStage stage(context, t, plan.tasks.size());
    fit.folds.push_back(
        fit_fold(context, data, plan.tasks[t], options, plan_options.selection_folds));
  }
  return fit;
}

}  // namespace cone
