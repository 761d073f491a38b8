#include "cone_networks/read_fold.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "cone_networks/encoder_bytes.hpp"
#include "nn/parameter_bytes.hpp"

namespace cone {
namespace {

ColumnUnits next_z_units(ByteReader& reader, std::size_t num_columns) {
  ColumnUnits units{.mean = std::vector<float>(num_columns),
                    .scale = std::vector<float>(num_columns)};
  reader.next_values(std::span(units.mean), "the means of the representations");
  reader.next_values(std::span(units.scale), "the scales of the representations");
  if (*std::min_element(units.scale.begin(), units.scale.end()) <= 0) {
    reader.fail("a scale of the representations is not more than 0");
  }
  return units;
}

void next_arm(ByteReader& reader, std::string_view owner, ArmNetwork& arm) {
  arm.units() = next_outcome_units(reader, owner);
  nn::next_parameters(reader, arm.parameters(), owner);
}

LogisticFit next_propensity(ByteReader& reader, std::size_t num_columns) {
  LogisticFit model;
  model.intercepts = {reader.next_finite("the intercept of the propensity model")};
  model.coefficients = Matrix<double>(1, num_columns);
  reader.next_values(model.coefficients.values(), "the coefficients of the propensity model");
  const auto converged = reader.next<std::uint32_t>("whether the propensity model converged");
  const auto iterations = reader.next<std::uint32_t>("the steps of the propensity model");
  if (converged > 1 || iterations > std::uint32_t{std::numeric_limits<int>::max()}) {
    reader.fail("the steps of the propensity model are no such thing");
  }
  model.converged = converged == 1;
  model.iterations = static_cast<int>(iterations);
  return model;
}

/// Nothing is computed from it. A training that diverged may have losses that are not finite.
FoldTraining next_training(ByteReader& reader, const ConeOptions& options) {
  FoldTraining training;
  const auto status = reader.next<std::uint32_t>("the status of a training");
  training.epochs = reader.next<std::uint64_t>("the epochs of a training");
  training.best_epoch = reader.next<std::uint64_t>("the best epoch of a training");
  // A cancelled training is never kept.
  if (status >= static_cast<std::uint32_t>(TrainingStatus::kDiverged) + 1) {
    reader.fail(fmt::format("there is no status {} of a training", status));
  }
  training.status = static_cast<TrainingStatus>(status);
  if (training.best_epoch > training.epochs || training.epochs > options.epochs) {
    reader.fail(
        fmt::format("a training of {} epochs, the best of them {}, does not fit its options",
                    training.epochs, training.best_epoch));
  }
  for (double* loss : {&training.validation_outcome_loss, &training.validation_treatment_loss,
                       &training.outcome_error, &training.propensity_loss}) {
    *loss = reader.next<double>("the losses of a training");
    if (*loss < 0) reader.fail("a loss of a training is less than 0");
  }
  return training;
}

}  // namespace

ConeFold next_fold(ByteReader& reader, const FoldShape& shape, const ConeOptions& options,
                   const std::string& data_checksum) {
  ConeFold fold{.encoder = {.options = options,
                            .num_features = shape.num_features,
                            .data_checksum = data_checksum},
                .control = ArmNetwork(shape.num_columns, options.hidden),
                .treated = ArmNetwork(shape.num_columns, options.hidden)};
  next_encoder(reader, fold.encoder);
  fold.z_units = next_z_units(reader, shape.num_columns);
  next_arm(reader, "the outcome network of the untreated", fold.control);
  next_arm(reader, "the outcome network of the treated", fold.treated);
  fold.propensity = next_propensity(reader, shape.num_columns);
  fold.training = next_training(reader, options);
  return fold;
}

}  // namespace cone
