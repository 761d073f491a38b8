#pragma once

#include <cstddef>
#include <cstdint>

#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "nn/parameter_store.hpp"
#include "nuisance/arm_network.hpp"

// Shared by the writer and the reader of networks_section.hpp.

namespace cone {

inline constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 32;

/// The shapes of a fold's networks, without weights.
struct FoldShape {
  std::size_t num_arms;
  std::size_t num_columns;  ///< of z = [z^y ; z^t]
  nn::ParameterLayout encoder;
  nn::ParameterLayout arm;

  FoldShape(const DataShape& data, const ConeOptions& options)
      : FoldShape(data, options, EncoderParts<float>(data, options)) {}

  /// The size of a fold in the file. At most 2^58, within the bounds of options and features.
  std::uint64_t num_bytes() const {
    constexpr std::uint64_t kUnits = 2 * sizeof(double);
    const std::uint64_t encoder_bytes = kUnits + sizeof(float) * encoder.size();
    const std::uint64_t z_units_bytes = 2 * sizeof(float) * num_columns;
    const std::uint64_t arms_bytes = num_arms * (kUnits + sizeof(float) * arm.size());
    const std::uint64_t propensity_bytes =
        (num_arms - 1) * sizeof(double) * (1 + num_columns) + 4 + 4;
    const std::uint64_t training_bytes = 4 + 2 * 8 + 4 * sizeof(double);
    return encoder_bytes + z_units_bytes + arms_bytes + propensity_bytes + training_bytes;
  }

 private:
  FoldShape(const DataShape& data, const ConeOptions& options, const EncoderParts<float>& parts)
      : num_arms(data.num_arms),
        num_columns(parts.towers.columns()),
        encoder(parts.layout),
        arm(ArmNetwork::layout(num_columns, options.hidden)) {}
};

}  // namespace cone
