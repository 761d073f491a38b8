#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "nn/network_input.hpp"
#include "nn/outcome_units.hpp"
#include "nn/parameter_store.hpp"
#include "nn/train.hpp"

namespace cone {

/// Inputs, and the logged outcome of each row.
struct OutcomeSamples {
  const NetworkInput& input;
  std::span<const double> outcome;
};

/// Outcome model of one arm: a network with one hidden layer of ELUs on a node's features or
/// representation.
class ArmNetwork {
 public:
  ArmNetwork(std::size_t num_inputs, std::size_t num_hidden);
  /// The tensors of such a network, without the memory for them.
  static nn::ParameterLayout layout(std::size_t num_inputs, std::size_t num_hidden);

  /// Least squares on the training samples, early stopping on the held-out ones; without held-out
  /// samples, all epochs run. Outcomes are learnt in units of their standard deviation, so
  /// they may have any scale. Returns the mean squared error on the held-out samples (on the
  /// training samples where there are no others).
  double fit(const Context& context, const OutcomeSamples& train, const OutcomeSamples& held_out,
             const nn::AdamOptions& adam, const nn::TrainingSchedule& schedule);

  /// The predicted outcome of every row.
  std::vector<double> predict(const Context& context, const NetworkInput& input) const;

  std::size_t num_inputs() const { return num_inputs_; }
  std::size_t num_hidden() const { return num_hidden_; }
  /// Whether the last fit() ended at a loss that is not finite, and the weights are those before
  /// it. Not stored in model files.
  bool diverged() const { return diverged_; }

  // Stored in model files.
  const OutcomeUnits& units() const { return units_; }
  OutcomeUnits& units() { return units_; }
  const nn::ParameterStore<float>& parameters() const { return parameters_; }
  nn::ParameterStore<float>& parameters() { return parameters_; }

 private:
  struct Pass;  // activations and gradients of one batch
  class Stepper;

  ArmNetwork(nn::ParameterLayout layout, std::size_t num_inputs, std::size_t num_hidden);
  void forward(const Context& context, Pass& pass) const;
  void backward(const Context& context, Pass& pass);

  std::size_t num_inputs_;
  std::size_t num_hidden_;
  nn::TensorId hidden_weight_;
  nn::TensorId hidden_bias_;
  nn::Mlp output_;
  OutcomeUnits units_;
  bool diverged_ = false;
  nn::ParameterStore<float> parameters_;
};

}  // namespace cone
