#include "cone_networks/encoder_bytes.hpp"

#include <fmt/format.h>

#include "cone_networks/cone_model.hpp"
#include "nn/parameter_bytes.hpp"

namespace cone {

nn::ParameterLayout encoder_layout(std::size_t num_features, const ConeOptions& options) {
  return ConeArchitecture(num_features, options).layout;
}

void put_outcome_units(ByteWriter& writer, const OutcomeUnits& units) {
  writer.put(units.mean);
  writer.put(units.scale);
}

OutcomeUnits next_outcome_units(ByteReader& reader, std::string_view owner) {
  const double mean = reader.next_finite(fmt::format("the mean outcome of {}", owner));
  const double scale = reader.next_positive(fmt::format("the scale of outcomes of {}", owner));
  return {.mean = mean, .scale = scale};
}

void put_encoder(ByteWriter& writer, const TrainedModel& encoder) {
  put_outcome_units(writer, {.mean = encoder.outcome_mean, .scale = encoder.outcome_scale});
  writer.put_values(encoder.parameters.values());
}

void next_encoder(ByteReader& reader, TrainedModel& encoder) {
  const OutcomeUnits units = next_outcome_units(reader, "the encoder");
  encoder.outcome_mean = units.mean;
  encoder.outcome_scale = units.scale;
  encoder.parameters =
      nn::ParameterStore<float>(encoder_layout(encoder.num_features, encoder.options));
  encoder.parameters.drop_gradients();
  nn::next_parameters(reader, encoder.parameters, "the encoder");
}

}  // namespace cone
