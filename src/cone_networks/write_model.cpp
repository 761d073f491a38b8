#include <ostream>
#include <string>

#include "cone/error.hpp"

#include "base/byte_writer.hpp"
#include "base/file.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/model_file.hpp"
#include "cone_networks/model_format.hpp"
#include "nn/parameter_bytes.hpp"

namespace cone {
namespace {

/// Every fold must be of the shape that the header describes.
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

/// Everything before the checksum; `num_bytes` is the length of the whole file.
void put_model(ByteWriter& writer, const ConeFit& fit, std::uint64_t num_bytes) {
  require(!fit.folds.empty(), "model file: a fit without folds");
  const FoldShape shape(fit.shape(), fit.options);
  require_shape(fit, shape);
  writer.put_bytes(kModelMagic.data(), kModelMagic.size());
  writer.put(kModelFormat);
  writer.put(num_bytes);
  writer.put(fit.seed);
  writer.put_bytes(fit.data_checksum.data(), fit.data_checksum.size());
  writer.put(static_cast<std::uint64_t>(fit.num_features));
  writer.put(static_cast<std::uint32_t>(fit.folds.size()));
  writer.put(static_cast<std::uint32_t>(fit.arms.size()));
  for (const std::string& label : fit.arms) writer.put_text(label);
  writer.put_text(canonical_text(fit.plan));
  writer.put_text(canonical_text(fit.options));
  nn::put_layout(writer, shape.encoder);
  nn::put_layout(writer, shape.arm);
  for (const ConeFold& fold : fit.folds) put_fold(writer, fold);
}

std::uint64_t model_num_bytes(const ConeFit& fit) {
  ByteWriter counter;
  put_model(counter, fit, 0);
  return counter.num_bytes() + kChecksumDigits;
}

}  // namespace

void write_model(const std::filesystem::path& path, const ConeFit& fit) {
  const std::uint64_t num_bytes = model_num_bytes(fit);
  write_atomically(path, [&](std::ostream& out) {
    ByteWriter writer(out);
    put_model(writer, fit, num_bytes);
    out << writer.checksum();
  });
}

std::string model_checksum(const ConeFit& fit) {
  ByteWriter writer;
  put_model(writer, fit, model_num_bytes(fit));
  return writer.checksum();
}

}  // namespace cone
