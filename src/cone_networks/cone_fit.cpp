#include "cone_networks/cone_fit.hpp"

#include <algorithm>
#include <utility>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "cone_networks/fold_propensity.hpp"
#include "cone_networks/thin_history.hpp"
#include "nuisance/network_schedule.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/run_folds.hpp"

namespace cone {
namespace {

/// Share of a fold's time, for the progress bar.
constexpr double kEncoderShare = 0.7;

FoldTraining training_summary(const TrainedEncoder& encoder, const ConeOptions& options) {
  const EpochLosses& best = encoder.history[encoder.best_epoch];
  return {.status = encoder.status,
          .epochs = encoder.history.size() - 1,
          .best_epoch = encoder.best_epoch,
          .encoder_head_mse = best.validation_outcome,
          .treatment_head_loss = best.validation_treatment,
          .curves = thin_history(encoder.history, encoder.best_epoch, options)};
}

/// Standardised representations of some nodes.
struct LoggedRows {
  Matrix<float> z;
  std::vector<NodeIndex> nodes;

  LoggedRows(const Matrix<float>& all, const std::vector<NodeIndex>& of)
      : z(rows_of(all, of)), nodes(of) {}
  /// The rows of the nodes with this logged arm.
  Matrix<float> rows_of_arm(const Dataset& data, Arm arm) const {
    std::vector<std::size_t> rows_of_nodes;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (data.treatment[nodes[k]] == arm) rows_of_nodes.push_back(k);
    }
    return rows_of(z, rows_of_nodes);
  }
};

/// Returns the sum of squared errors over the held-out nodes of the arm.
double fit_arm(const Context& context, const Dataset& data, const LoggedRows& train,
               const LoggedRows& held_out, Arm arm, const ConeOptions& options,
               ArmNetwork& network) {
  const DenseInput train_input(train.rows_of_arm(data, arm));
  const DenseInput held_out_input(held_out.rows_of_arm(data, arm));
  const auto outcomes = values_at(data.outcome, nodes_of_arm(data, train.nodes, arm));
  const auto held_out_outcomes = values_at(data.outcome, nodes_of_arm(data, held_out.nodes, arm));
  const double mean_error =
      network.fit(context, {train_input, outcomes}, {held_out_input, held_out_outcomes},
                  adam_options(options), training_schedule(options));
  return static_cast<double>(held_out_outcomes.size()) * mean_error;
}

struct FittedFold {
  ConeFold fold;
  Matrix<float> z;  ///< of the task's scored nodes
};

FittedFold fit_fold(const Context& context, const ConeInput& input, const FitTask& task,
                    const ConeOptions& options, int selection_folds) {
  const Dataset& data = input.data();
  const SelectionSplit& split = early_stopping_split(task);
  TrainedEncoder encoder = [&] {
    const StageScope stage(context, "encoder", 0, kEncoderShare);
    return train_encoder(context, input, options, split.fit, split.score);
  }();
  const StageScope stage(context, "outcomes and propensity", kEncoderShare, 1);
  LoggedRows train(encoder.z, split.fit);
  LoggedRows held_out(encoder.z, split.score);
  const ColumnUnits units = column_units(std::as_const(train.z).view());
  standardise(units, train.z);
  standardise(units, held_out.z);
  PropensityFit propensity =
      fit_fold_propensity(context, data, held_out.z, split.score, selection_folds);
  FittedFold fitted{.fold = {.encoder = std::move(encoder.weights),
                             .z_units = units,
                             .propensity = std::move(propensity.model),
                             .training = training_summary(encoder, options)},
                    .z = rows_of(encoder.z, task.score)};
  fitted.fold.training.propensity_loss = propensity.held_out_loss;
  double squared_error = 0;
  for (std::size_t arm = 0; arm < data.num_arms(); ++arm) {
    fitted.fold.outcomes.emplace_back(train.z.cols(), options.hidden);
    squared_error += fit_arm(context, data, train, held_out, static_cast<Arm>(arm), options,
                             fitted.fold.outcomes.back());
  }
  const double scale = fitted.fold.encoder.outcome_units.scale;
  fitted.fold.training.arm_network_mse =
      squared_error / (static_cast<double>(split.score.size()) * scale * scale);
  return fitted;
}

/// The approximate memory of fitting a fold: matrices of the encoder, and its weights.
std::uint64_t training_bytes(const ConeInput& input, const ConeOptions& options) {
  constexpr std::uint64_t kMatricesPerLayer = 8;
  constexpr std::uint64_t kOtherMatrices = 8;
  constexpr std::uint64_t kStates = 5;  // weights, gradients, two moments, the best weights
  const EncoderParts<float> parts(input.shape(), options);
  const std::uint64_t matrix = input.data().num_nodes() * parts.towers.columns();
  return sizeof(float) * ((kMatricesPerLayer * options.layers + kOtherMatrices) * matrix +
                          kStates * parts.layout.size());
}

/// Copies the rows of a task's scored nodes to their rows among the plan's, both ascending.
void put_scored_rows(const FitPlan& plan, const FitTask& task, const Matrix<float>& rows,
                     Matrix<float>& all) {
  if (all.rows() == 0) all = Matrix<float>(plan.scored.size(), rows.cols());
  const std::vector<std::size_t> rows_of_nodes = find_rows(plan.scored, task.score);
  for (std::size_t k = 0; k < rows_of_nodes.size(); ++k) {
    std::copy(rows.row(k).begin(), rows.row(k).end(), all.row(rows_of_nodes[k]).begin());
  }
}

}  // namespace

FittedFolds fit_cone_folds(const Context& context, const Dataset& data, const FitPlan& plan,
                           const ConeOptions& options, int selection_folds) {
  require_valid(plan, data.num_nodes());
  require_every_arm(data, training_nodes(plan));
  const ConeInput input(data);
  std::vector<FittedFold> folds(plan.tasks.size());
  run_folds(context, folds.size(), training_bytes(input, options),
            [&](std::size_t t, const Context& fold_context) {
              folds[t] = fit_fold(fold_context, input, plan.tasks[t], options, selection_folds);
            });
  FittedFolds fitted;
  for (std::size_t t = 0; t < folds.size(); ++t) {
    put_scored_rows(plan, plan.tasks[t], folds[t].z, fitted.z);
    fitted.folds.push_back(std::move(folds[t].fold));
  }
  return fitted;
}

ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan_options,
                 const ConeOptions& options) {
  validate(plan_options);
  validate(options);
  return fit_cone(context, data, plan_options,
                  make_plan(context, data, plan_options, context.seed()), options);
}

ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan_options,
                 const FitPlan& plan, const ConeOptions& options) {
  FittedFolds fitted = fit_cone_folds(context, data, plan, options, plan_options.selection_folds);
  return {.plan = plan_options,
          .options = options,
          .seed = context.seed(),
          .data_checksum = data.checksum(),
          .num_features = data.features.matrix.cols(),
          .arms = data.arms,
          .folds = std::move(fitted.folds),
          .z = std::move(fitted.z)};
}

void require_data_of(const ConeFit& fit, const Dataset& data) {
  if (data.checksum() != fit.data_checksum) {
    throw Error(ErrorCode::kData,
                Fault{.what = "the model was fitted to other data: its folds would let a node's "
                              "outcome leak into its own prediction",
                      .advice = "fit a model to this data with cone fit"});
  }
}

FitPlan redraw_plan_checked(const Context& context, const Dataset& data, const ConeFit& fit) {
  require_data_of(fit, data);
  FitPlan plan = make_plan(context, data, fit.plan, fit.seed);
  require(plan.tasks.size() == fit.folds.size(), "cone: the fit is not of this plan");
  return plan;
}

Matrix<float> encode_scored_nodes(const Context& context, const Dataset& data, const FitPlan& plan,
                                  const ConeFit& fit) {
  const ConeInput input(data);
  Matrix<float> all;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const Matrix<float> z = encode_with(context, input, fit.options, fit.folds[t].encoder);
    put_scored_rows(plan, plan.tasks[t], rows_of(z, plan.tasks[t].score), all);
  }
  return all;
}

}  // namespace cone
