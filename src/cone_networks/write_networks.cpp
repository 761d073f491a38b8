#include <cstdint>
#include <span>

#include "cone/error.hpp"

#include "base/byte_writer.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/fold_shape.hpp"
#include "cone_networks/networks_section.hpp"
#include "nn/parameter_bytes.hpp"

namespace cone {
namespace {

/// Every fold must have the shape that the header describes.
void require_shape(const ConeFit& fit, const FoldShape& shape) {
  for (const ConeFold& fold : fit.folds) {
    bool fits = fold.encoder.parameters.size() == shape.encoder.size() &&
                fold.outcomes.size() == shape.num_arms &&
                fold.z_units.mean.size() == shape.num_columns &&
                fold.z_units.scale.size() == shape.num_columns &&
                fold.propensity.num_labels() == shape.num_arms &&
                fold.propensity.coefficients.cols() == shape.num_columns;
    for (const ArmNetwork& arm : fold.outcomes) fits &= arm.parameters().size() == shape.arm.size();
    require(fits, "model file: the folds are not of one model");
  }
}

void put_outcome_units(ByteWriter& writer, const OutcomeUnits& units) {
  writer.put(units.mean);
  writer.put(units.scale);
}

void put_arm(ByteWriter& writer, const ArmNetwork& arm) {
  put_outcome_units(writer, arm.units());
  writer.put_values(arm.parameters().values());
}

void put_fold(ByteWriter& writer, const ConeFold& fold) {
  put_outcome_units(writer, fold.encoder.outcome_units);
  writer.put_values(fold.encoder.parameters.values());
  writer.put_values(std::span(fold.z_units.mean));
  writer.put_values(std::span(fold.z_units.scale));
  for (const ArmNetwork& arm : fold.outcomes) put_arm(writer, arm);
  writer.put_values(std::span(fold.propensity.intercepts));
  writer.put_values(fold.propensity.coefficients.values());
  writer.put(static_cast<std::uint32_t>(fold.propensity.converged ? 1 : 0));
  writer.put(static_cast<std::uint32_t>(fold.propensity.iterations));
  const FoldTraining& training = fold.training;
  writer.put(static_cast<std::uint32_t>(training.status));
  writer.put(training.epochs);
  writer.put(training.best_epoch);
  for (const double loss : {training.encoder_head_mse, training.treatment_head_loss,
                            training.arm_network_mse, training.propensity_loss}) {
    writer.put(loss);
  }
}

}  // namespace

void put_networks(ByteWriter& writer, const ConeFit& fit) {
  require(!fit.folds.empty(), "model file: the fit has no folds");
  const FoldShape shape(fit.shape(), fit.options);
  require_shape(fit, shape);
  writer.put(static_cast<std::uint64_t>(fit.num_features));
  writer.put(static_cast<std::uint32_t>(fit.folds.size()));
  writer.put_text(canonical_text(fit.options));
  nn::put_layout(writer, shape.encoder);
  nn::put_layout(writer, shape.arm);
  for (const ConeFold& fold : fit.folds) put_fold(writer, fold);
}

}  // namespace cone
