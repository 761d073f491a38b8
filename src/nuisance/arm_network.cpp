#include "nuisance/arm_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"

#include "nn/adam_run.hpp"
#include "nn/initialise.hpp"
#include "nn/losses.hpp"
#include "nn/train.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone {

struct ArmNetwork::Pass {
  const NetworkInput& input;
  Matrix<float> hidden;
  Matrix<float> d_hidden;
  nn::MlpWorkspace<float> output;
  std::vector<float> target;    // outcomes in the network's units
  std::vector<float> gradient;  // of the loss, one per row

  Pass(const NetworkInput& samples, std::size_t num_hidden)
      : input(samples),
        hidden(samples.rows(), num_hidden),
        d_hidden(samples.rows(), num_hidden),
        gradient(samples.rows()) {}

  void set_target(std::span<const double> outcome, const OutcomeUnits& units) {
    for (const double y : outcome) {
      target.push_back(static_cast<float>((y - units.mean) / units.scale));
    }
  }
  /// Mean squared error, and its gradient.
  double loss() {
    const MatrixView<const float> predicted = output.output();
    return nn::mean_squared_error<float>({predicted.data(), predicted.rows()}, target, 1, gradient);
  }
};

ArmNetwork::ArmNetwork(std::size_t num_inputs, std::size_t num_hidden)
    : ArmNetwork(nn::ParameterLayout(), num_inputs, num_hidden) {}

ArmNetwork::ArmNetwork(nn::ParameterLayout layout, std::size_t num_inputs, std::size_t num_hidden)
    : num_inputs_(num_inputs),
      num_hidden_(num_hidden),
      hidden_weight_(layout.add_weight("hidden.weight", num_inputs, num_hidden)),
      hidden_bias_(layout.add_bias("hidden.bias", num_hidden)),
      output_(layout, "output", {num_hidden, 1}),
      parameters_(std::move(layout)) {
  parameters_.drop_gradients();  // fit() allocates them again
}

nn::ParameterLayout ArmNetwork::layout(std::size_t num_inputs, std::size_t num_hidden) {
  nn::ParameterLayout layout;
  layout.add_weight("hidden.weight", num_inputs, num_hidden);
  layout.add_bias("hidden.bias", num_hidden);
  const nn::Mlp output(layout, "output", {num_hidden, 1});  // adds its tensors
  return layout;
}

void ArmNetwork::forward(const Context& context, Pass& pass) const {
  pass.input.times(context, parameters_.value(hidden_weight_), pass.hidden.view());
  ops::bias_elu(context, parameters_.value(hidden_bias_).row(0), pass.hidden.view());
  output_.forward(context, parameters_, nn::constant(pass.hidden), pass.output);
}

void ArmNetwork::backward(const Context& context, Pass& pass) {
  std::copy(pass.gradient.begin(), pass.gradient.end(), pass.output.d_output().data());
  std::fill(pass.d_hidden.values().begin(), pass.d_hidden.values().end(), 0.0F);
  output_.backward(context, parameters_, nn::constant(pass.hidden), pass.output,
                   pass.d_hidden.view());
  ops::bias_elu_backward(context, nn::constant(pass.hidden), pass.d_hidden.view(),
                         parameters_.gradient(hidden_bias_).row(0));
  pass.input.transposed_times(context, nn::constant(pass.d_hidden),
                              parameters_.gradient(hidden_weight_));
}

/// Trains on one pass and, where there is a held-out one, is scored on that.
class ArmNetwork::Stepper : public nn::EpochStepper {
 public:
  Stepper(const Context& context, const nn::AdamOptions& adam, ArmNetwork& network, Pass& training,
          Pass& held_out)
      : context_(context),
        network_(network),
        training_(training),
        held_out_(held_out),
        adam_(context, adam, network.parameters_) {}

  bool has_held_out() const override { return !held_out_.target.empty(); }
  nn::EpochScore measure(std::uint64_t /*epoch*/) override {
    const double loss = loss_of(training_);
    const double score = has_held_out() ? loss_of(held_out_) : loss;
    return {.loss = score, .diverged = !std::isfinite(loss) || !std::isfinite(score)};
  }
  void step() override {
    network_.backward(context_, training_);
    adam_.step();
  }
  void keep_weights() override { adam_.keep_weights(); }
  void restore_weights() override { adam_.restore_weights(); }

 private:
  double loss_of(Pass& pass) {
    network_.forward(context_, pass);
    return pass.loss();
  }

  const Context& context_;
  ArmNetwork& network_;
  Pass& training_;
  Pass& held_out_;
  nn::AdamRun<float> adam_;
};

double ArmNetwork::fit(const Context& context, const OutcomeSamples& train,
                       const OutcomeSamples& held_out, const nn::AdamOptions& adam,
                       const nn::TrainingSchedule& schedule) {
  require(!train.outcome.empty(), "arm network: no training samples");
  units_ = outcome_units(train.outcome);
  Pass training(train.input, num_hidden_);
  Pass validation(held_out.input, num_hidden_);
  training.set_target(train.outcome, units_);
  validation.set_target(held_out.outcome, units_);
  // The last layer starts at zero, so the network predicts the mean outcome: where nothing can be
  // learnt, early stopping keeps it there.
  parameters_.restore_gradients();
  std::fill(parameters_.values().begin(), parameters_.values().end(), 0.0F);
  nn::xavier_uniform(parameters_, hidden_weight_, num_inputs_, num_hidden_, context.seed());
  Stepper stepper(context, adam, *this, training, validation);
  const nn::TrainingOutcome outcome = nn::train(context, "training a network", schedule, stepper);
  parameters_.drop_gradients();
  diverged_ = outcome.status == TrainingStatus::kDiverged;
  return outcome.best_loss * units_.scale * units_.scale;
}

std::vector<double> ArmNetwork::predict(const Context& context, const NetworkInput& input) const {
  std::vector<double> predictions(input.rows());
  if (predictions.empty()) return predictions;
  Pass pass(input, num_hidden_);
  forward(context, pass);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predictions[i] = units_.mean + units_.scale * pass.output.output()(i, 0);
  }
  return predictions;
}

}  // namespace cone
