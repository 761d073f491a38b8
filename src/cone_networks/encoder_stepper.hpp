#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_input.hpp"
#include "cone_networks/encoder.hpp"
#include "nn/adam_run.hpp"

namespace cone {

/// The losses of one set of weights; outcomes in units of their standard deviation on the training
/// nodes.
struct EpochLosses {
  double outcome = 0;             ///< L^y on the training nodes
  double treatment = 0;           ///< L^t on the training nodes
  double mutual_information = 0;  ///< L^MI: minus the Donsker–Varadhan bound
  double validation_outcome = 0;  ///< L^y on the validation nodes, no dropout; NaN without any
  double validation_treatment = 0;
};

/// The training nodes of an encoder and the validation nodes of its early stopping, in canonical
/// order.
struct EncoderNodes {
  LoggedNodes<float> train;
  LoggedNodes<float> validation;
};

/// The computations of one encoder's training, on any device: an epoch is measure() and step().
/// train_encoder decides what to keep and when to stop, for all implementations. CpuEncoderStepper
/// is the reference that others are compared with.
class EncoderStepper {
 public:
  virtual ~EncoderStepper() = default;

  /// Losses of the weights after `epoch` steps.
  virtual EpochLosses measure(std::uint64_t epoch) = 0;
  /// One step of Adam on all parameters from the weights measured last.
  virtual void step() = 0;
  /// Saves the current weights, replacing those saved before.
  virtual void keep_weights() = 0;
  /// Restores the saved weights.
  virtual void restore_weights() = 0;
  /// The current weights, without gradients.
  virtual nn::ParameterStore<float> weights() const = 0;
  /// [z^t | z^y] of all nodes by the current weights, valid until the next call of any function.
  virtual const Matrix<float>& encode() = 0;
};

class CpuEncoderStepper : public EncoderStepper {
 public:
  /// Options have been validated; all arguments must outlive it.
  CpuEncoderStepper(const Context& context, const ConeInput& input, const ConeOptions& options,
                    const EncoderNodes& nodes);

  EpochLosses measure(std::uint64_t epoch) override;
  void step() override;
  void keep_weights() override { adam_.keep_weights(); }
  void restore_weights() override { adam_.restore_weights(); }
  nn::ParameterStore<float> weights() const override;
  const Matrix<float>& encode() override;

 private:
  void encode(const FeatureViews<float>& features, const nn::Dropout* dropout);
  void add_validation_losses(EpochLosses& losses);

  const Context& context_;
  const ConeInput& input_;
  const ConeOptions& options_;
  const EncoderNodes& nodes_;
  Encoder<float> encoder_;
  nn::AdamRun<float> adam_;
  DroppedFeatures<float> dropped_;
  // Of the current epoch, for step().
  FeatureViews<float> features_;
  nn::Dropout dropout_;
};

}  // namespace cone
