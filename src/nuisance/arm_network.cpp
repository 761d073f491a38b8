#include "nuisance/arm_network.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "nn/initialise.hpp"
#include "nn/losses.hpp"
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
  parameters_.drop_gradients();  // fit() brings its own
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

double ArmNetwork::fit(const Context& context, const OutcomeSamples& train,
                       const OutcomeSamples& held_out, const nn::FitSchedule& schedule) {
  require(!train.outcome.empty(), "arm network: no training samples");
  units_ = outcome_units(train.outcome);
  Pass training(train.input, num_hidden_);
  Pass checking(held_out.input, num_hidden_);
  training.set_target(train.outcome, units_);
  checking.set_target(held_out.outcome, units_);
  nn::FitProblem problem;
  problem.loss = [&] {
    forward(context, training);
    const double loss = training.loss();
    backward(context, training);
    return loss;
  };
  if (!held_out.outcome.empty()) {
    problem.held_out_loss = [&] {
      forward(context, checking);
      return checking.loss();
    };
  }
  // The last layer starts at zero, so the network at the mean outcome: where nothing can be learnt,
  // early stopping leaves it there.
  parameters_.restore_gradients();
  std::fill(parameters_.values().begin(), parameters_.values().end(), 0.0F);
  nn::xavier_uniform(parameters_, hidden_weight_, num_inputs_, num_hidden_, context.seed());
  const nn::FitOutcome outcome = nn::fit_by_adam(context, schedule, problem, parameters_);
  parameters_.drop_gradients();
  diverged_ = outcome.diverged;
  return outcome.loss * units_.scale * units_.scale;
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
