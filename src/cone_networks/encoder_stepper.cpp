#include "cone_networks/encoder_stepper.hpp"

#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "nuisance/network_schedule.hpp"

namespace cone {

CpuEncoderStepper::CpuEncoderStepper(const Context& context, const ConeInput& input,
                                     const ConeOptions& options, const EncoderNodes& nodes)
    : context_(context),
      input_(input),
      options_(options),
      nodes_(nodes),
      encoder_(input.shape(), options),
      adam_(context, adam_options(options), encoder_.parameters()),
      features_(input.features().whole()) {
  encoder_.initialise(context.seed());
}

EpochLosses CpuEncoderStepper::measure(std::uint64_t epoch) {
  EpochLosses losses{.validation_outcome = kNaN, .validation_treatment = kNaN};
  const bool with_dropout = options_.dropout > 0;
  if (with_dropout) {
    encode(input_.features().whole(), nullptr);
    add_validation_losses(losses);
    dropout_ = {options_.dropout, context_.seed(), epoch, input_.id_hashes()};
    features_ = input_.features().drop(context_, dropout_, dropped_);
    encode(features_, &dropout_);
  } else {
    encode(features_, nullptr);
    add_validation_losses(losses);
  }
  const auto permutation = Rng(context_.seed(), Stream::kPermutation, epoch)
                               .permutation(static_cast<std::uint32_t>(nodes_.train.nodes.size()));
  const EncoderLosses trained = encoder_.objective(context_, nodes_.train, permutation);
  losses.outcome = trained.outcome;
  losses.treatment = trained.treatment;
  losses.mutual_information = trained.mutual_information;
  return losses;
}

void CpuEncoderStepper::step() {
  encoder_.backward(context_, input_.data().graph, features_,
                    options_.dropout > 0 ? &dropout_ : nullptr);
  adam_.step();
}

nn::ParameterStore<float> CpuEncoderStepper::weights() const {
  return encoder_.parameters().without_gradients();
}

const Matrix<float>& CpuEncoderStepper::encode() {
  return encoder_.encode(context_, input_.data().graph, input_.features().whole(), nullptr);
}

void CpuEncoderStepper::encode(const FeatureViews<float>& features, const nn::Dropout* dropout) {
  encoder_.encode(context_, input_.data().graph, features, dropout);
}

void CpuEncoderStepper::add_validation_losses(EpochLosses& losses) {
  if (nodes_.validation.nodes.empty()) return;
  const EncoderLosses held_out = encoder_.supervised_losses(context_, nodes_.validation);
  losses.validation_outcome = held_out.outcome;
  losses.validation_treatment = held_out.treatment;
}

}  // namespace cone
