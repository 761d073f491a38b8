#include "cone/nuisance/arm_network.hpp"

#include <algorithm>
#include <utility>

#include "cone/base/error.hpp"
#include "cone/nn/losses.hpp"

namespace cone {
namespace {

/// The outcomes in the network's units, and the passes' scratch space.
struct Batch {
  MatrixView<const float> input;
  std::vector<float> target;
  std::vector<float> gradient;
  nn::MlpWorkspace<float> workspace;

  Batch(const OutcomeSamples& samples, const OutcomeUnits& units)
      : input(samples.x.view()), gradient(samples.outcome.size()) {
    for (const double y : samples.outcome) {
      target.push_back(static_cast<float>((y - units.mean) / units.scale));
    }
  }
};

}  // namespace

ArmNetwork::ArmNetwork(std::size_t num_inputs, std::size_t num_hidden)
    : ArmNetwork(nn::ParameterLayout(), num_inputs, num_hidden) {}

ArmNetwork::ArmNetwork(nn::ParameterLayout layout, std::size_t num_inputs, std::size_t num_hidden)
    : num_inputs_(num_inputs),
      num_hidden_(num_hidden),
      mlp_(layout, "arm", {num_inputs, num_hidden, 1}),
      parameters_(std::move(layout)) {}

nn::ParameterLayout ArmNetwork::layout(std::size_t num_inputs, std::size_t num_hidden) {
  nn::ParameterLayout layout;
  nn::Mlp(layout, "arm", {num_inputs, num_hidden, 1});
  return layout;
}

double ArmNetwork::fit(const Context& context, const OutcomeSamples& train,
                       const OutcomeSamples& held_out, const nn::FitSchedule& schedule) {
  require(!train.outcome.empty(), "arm network: no training samples");
  units_ = outcome_units(train.outcome);
  Batch training(train, units_);
  Batch checking(held_out, units_);
  const auto loss_of = [&](Batch& batch) {
    mlp_.forward(context, parameters_, batch.input, batch.workspace);
    const MatrixView<const float> output = batch.workspace.output();
    return nn::mean_squared_error<float>({output.data(), output.rows()}, batch.target, 1,
                                         batch.gradient);
  };
  nn::FitProblem problem;
  problem.loss = [&] {
    const double loss = loss_of(training);
    std::copy(training.gradient.begin(), training.gradient.end(),
              training.workspace.d_output().data());
    mlp_.backward(context, parameters_, training.input, training.workspace,
                  /*d_input=*/{});
    return loss;
  };
  if (!held_out.outcome.empty()) problem.held_out_loss = [&] { return loss_of(checking); };
  std::fill(parameters_.values().begin(), parameters_.values().end(), 0.0F);
  mlp_.initialise(parameters_, context.seed());
  const double loss = nn::fit_by_adam(context, schedule, problem, parameters_);
  return loss * units_.scale * units_.scale;
}

std::vector<double> ArmNetwork::predict(const Context& context, MatrixView<const float> x) const {
  std::vector<double> predictions(x.rows());
  if (predictions.empty()) return predictions;
  nn::MlpWorkspace<float> workspace;
  mlp_.forward(context, parameters_, x, workspace);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predictions[i] = units_.mean + units_.scale * workspace.output()(i, 0);
  }
  return predictions;
}

}  // namespace cone
