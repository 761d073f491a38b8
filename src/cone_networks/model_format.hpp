#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cone_networks/encoder_bytes.hpp"
#include "nn/parameter_store.hpp"
#include "nuisance/arm_network.hpp"

// What the writer and the reader of docs/model_format.md share.

namespace cone {

inline constexpr std::string_view kModelMagic = "CONEMODL";
inline constexpr std::uint32_t kModelFormat = 1;
inline constexpr std::size_t kChecksumDigits = 32;
inline constexpr std::uint32_t kMaxOptionBytes = 65536;
inline constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 32;

/// The shapes of a fold's networks. Holds no weights.
struct FoldShape {
  std::size_t num_features;
  std::size_t num_columns;  ///< of z = [z^y ; z^t]
  nn::ParameterLayout encoder;
  nn::ParameterLayout arm;

  FoldShape(std::size_t features, const ConeOptions& options)
      : num_features(features),
        num_columns(std::size_t{2} * options.heads * options.head_size),
        encoder(encoder_layout(features, options)),
        arm(ArmNetwork::layout(num_columns, options.hidden)) {}

  /// What a fold takes in the file. At most 2^54, within the bounds of options and features.
  std::uint64_t num_bytes() const {
    constexpr std::uint64_t kUnits = 2 * sizeof(double);
    const std::uint64_t encoder_bytes = kUnits + sizeof(float) * encoder.size();
    const std::uint64_t z_units_bytes = 2 * sizeof(float) * num_columns;
    const std::uint64_t arms_bytes = 2 * (kUnits + sizeof(float) * arm.size());
    const std::uint64_t propensity_bytes = sizeof(double) * (1 + num_columns) + 4 + 4;
    const std::uint64_t training_bytes = 4 + 2 * 8 + 4 * sizeof(double);
    return encoder_bytes + z_units_bytes + arms_bytes + propensity_bytes + training_bytes;
  }
};

}  // namespace cone
