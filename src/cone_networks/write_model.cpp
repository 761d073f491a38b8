#include <ostream>
#include <string>

#include "base/byte_writer.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cone_networks/model_file.hpp"
#include "cone_networks/model_format.hpp"
#include "nn/parameter_bytes.hpp"

namespace cone {
namespace {

/// What the header says once must hold for every fold.
void require_one_model(const ConeFit& fit, const FoldShape& shape) {
  const std::string options = canonical_text(fit.folds.front().encoder.options);
  for (const ConeFold& fold : fit.folds) {
    require(canonical_text(fold.encoder.options) == options &&
                fold.encoder.num_features == shape.num_features &&
                fold.encoder.data_checksum == fit.data_checksum &&
                fold.encoder.parameters.size() == shape.encoder.size() &&
                fold.control.parameters().size() == shape.arm.size() &&
                fold.treated.parameters().size() == shape.arm.size() &&
                fold.z_units.mean.size() == shape.num_columns &&
                fold.z_units.scale.size() == shape.num_columns &&
                fold.propensity.coefficients.values().size() == shape.num_columns,
            "model file: the folds are not of one model");
  }
}

void put_arm(ByteWriter& writer, const ArmNetwork& arm) {
  put_outcome_units(writer, arm.units());
  writer.put_values(arm.parameters().values());
}

void put_fold(ByteWriter& writer, const ConeFold& fold) {
  put_encoder(writer, fold.encoder);
  writer.put_values(std::span(fold.z_units.mean));
  writer.put_values(std::span(fold.z_units.scale));
  put_arm(writer, fold.control);
  put_arm(writer, fold.treated);
  writer.put(fold.propensity.intercepts.front());
  writer.put_values(fold.propensity.coefficients.values());
  writer.put(static_cast<std::uint32_t>(fold.propensity.converged ? 1 : 0));
  writer.put(static_cast<std::uint32_t>(fold.propensity.iterations));
  const FoldTraining& training = fold.training;
  writer.put(static_cast<std::uint32_t>(training.status));
  writer.put(training.epochs);
  writer.put(training.best_epoch);
  for (const double loss : {training.validation_outcome_loss, training.validation_treatment_loss,
                            training.outcome_error, training.propensity_loss}) {
    writer.put(loss);
  }
}

/// Everything before the checksum; `num_bytes` is the length of the whole file.
void put_model(ByteWriter& writer, const ConeFit& fit, std::uint64_t num_bytes) {
  require(!fit.folds.empty(), "model file: a fit without folds");
  const TrainedModel& first = fit.folds.front().encoder;
  const FoldShape shape(first.num_features, first.options);
  require_one_model(fit, shape);
  writer.put_bytes(kModelMagic.data(), kModelMagic.size());
  writer.put(kModelFormat);
  writer.put(num_bytes);
  writer.put(fit.seed);
  writer.put_bytes(fit.data_checksum.data(), fit.data_checksum.size());
  writer.put(static_cast<std::uint64_t>(shape.num_features));
  writer.put(static_cast<std::uint32_t>(fit.folds.size()));
  writer.put_text(canonical_text(fit.plan));
  writer.put_text(canonical_text(first.options));
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
