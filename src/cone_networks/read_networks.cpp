#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cone/options.hpp"

#include "base/byte_reader.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/fold_shape.hpp"
#include "cone_networks/networks_section.hpp"
#include "nn/parameter_bytes.hpp"
#include "nn/train.hpp"
#include "options/option_bytes.hpp"

namespace cone {
namespace {

OutcomeUnits next_outcome_units(ByteReader& reader, std::string_view owner) {
  const double mean = reader.next_finite(fmt::format("the mean outcome of {}", owner));
  const double scale = reader.next_positive(fmt::format("the scale of outcomes of {}", owner));
  return {.mean = mean, .scale = scale};
}

EncoderWeights next_encoder(ByteReader& reader, const FoldShape& shape) {
  EncoderWeights encoder{.outcome_units = next_outcome_units(reader, "the encoder"),
                         .parameters = nn::ParameterStore<float>(shape.encoder)};
  encoder.parameters.drop_gradients();
  nn::next_parameters(reader, encoder.parameters, "the encoder");
  return encoder;
}

ColumnUnits next_z_units(ByteReader& reader, std::size_t num_columns) {
  ColumnUnits units{.mean = std::vector<float>(num_columns),
                    .scale = std::vector<float>(num_columns)};
  reader.next_values(std::span(units.mean), "the means of the representations");
  reader.next_values(std::span(units.scale), "the scales of the representations");
  if (*std::min_element(units.scale.begin(), units.scale.end()) <= 0) {
    reader.fail("a scale of the representations is not positive");
  }
  return units;
}

void next_arm(ByteReader& reader, std::string_view owner, ArmNetwork& arm) {
  arm.units() = next_outcome_units(reader, owner);
  nn::next_parameters(reader, arm.parameters(), owner);
}

LogisticFit next_propensity(ByteReader& reader, const FoldShape& shape) {
  LogisticFit model{.intercepts = std::vector<double>(shape.num_arms - 1),
                    .coefficients = Matrix<double>(shape.num_arms - 1, shape.num_columns)};
  reader.next_values(std::span(model.intercepts), "the intercepts of the propensity model");
  reader.next_values(model.coefficients.values(), "the coefficients of the propensity model");
  const auto converged = reader.next<std::uint32_t>("whether the propensity model converged");
  const auto iterations = reader.next<std::uint32_t>("the steps of the propensity model");
  if (converged > 1) reader.fail("whether the propensity model converged is neither 0 nor 1");
  if (iterations > std::uint32_t{std::numeric_limits<int>::max()}) {
    reader.fail("the propensity model's step count is invalid");
  }
  model.converged = converged == 1;
  model.iterations = static_cast<int>(iterations);
  return model;
}

/// For reports only. A training that diverged may have losses that are not finite.
FoldTraining next_training(ByteReader& reader, const ConeOptions& options) {
  FoldTraining training;
  const auto status = reader.next<std::uint32_t>("the status of a training");
  training.epochs = reader.next<std::uint64_t>("the epochs of a training");
  training.best_epoch = reader.next<std::uint64_t>("the best epoch of a training");
  // A cancelled training is never saved.
  if (status >= static_cast<std::uint32_t>(TrainingStatus::kDiverged) + 1) {
    reader.fail(fmt::format("{} is not a status of a training", status));
  }
  training.status = static_cast<TrainingStatus>(status);
  if (training.best_epoch > training.epochs || training.epochs > options.epochs) {
    reader.fail(
        fmt::format("a training of {} epochs, the best of them {}, does not fit its options",
                    training.epochs, training.best_epoch));
  }
  for (double* loss : {&training.encoder_head_mse, &training.treatment_head_loss,
                       &training.arm_network_mse, &training.propensity_loss}) {
    *loss = reader.next<double>("the losses of a training");
    if (*loss < 0) reader.fail("a loss of a training is negative");
  }
  return training;
}

/// One fold. The reader must hold shape.num_bytes() more.
ConeFold next_fold(ByteReader& reader, const FoldShape& shape, const ConeOptions& options) {
  ConeFold fold;
  fold.encoder = next_encoder(reader, shape);
  fold.z_units = next_z_units(reader, shape.num_columns);
  for (std::size_t a = 0; a < shape.num_arms; ++a) {
    fold.outcomes.emplace_back(shape.num_columns, options.hidden);
    next_arm(reader, fmt::format("the outcome network of arm {}", a), fold.outcomes.back());
  }
  fold.propensity = next_propensity(reader, shape);
  fold.training = next_training(reader, options);
  return fold;
}

}  // namespace

void next_networks(ByteReader& reader, ConeFit& fit) {
  fit.num_features = reader.next<std::uint64_t>("the number of features");
  if (fit.num_features > kMaxFeatures) reader.fail("the number of features is implausible");
  const auto num_folds = reader.next<std::uint32_t>("the number of folds");
  if (num_folds != fit.plan.num_tasks()) {
    reader.fail(fmt::format("has {} folds and its plan makes {}", num_folds, fit.plan.num_tasks()));
  }
  fit.options = next_options<ConeOptions>(reader, "the options of the networks");
  const FoldShape shape(fit.shape(), fit.options);
  nn::require_layout(reader, shape.encoder, "the encoder");
  nn::require_layout(reader, shape.arm, "an outcome network");
  // From here on all allocations are within the length of the file.
  if (reader.num_left() / num_folds != shape.num_bytes() || reader.num_left() % num_folds != 0) {
    reader.fail(fmt::format("{} folds of {} bytes are not the {} remaining bytes", num_folds,
                            shape.num_bytes(), reader.num_left()));
  }
  fit.folds.reserve(num_folds);
  for (std::uint32_t k = 0; k < num_folds; ++k) {
    fit.folds.push_back(next_fold(reader, shape, fit.options));
  }
}

}  // namespace cone
