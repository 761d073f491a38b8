#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/cone_model.hpp"

namespace cone::testing {

inline void fill_normal(Rng& rng, std::span<float> values) {
  for (float& value : values) value = static_cast<float>(rng.normal());
}

/// A fit of two folds with two layers, seven features and random weights, that nothing trained.
inline ConeFit random_fit() {
  ConeOptions options;
  options.heads = 2;
  options.head_size = 4;
  options.hidden = 8;
  options.layers = 2;
  options.dropout = 0.1;
  constexpr std::size_t kColumns = 16;
  ConeFit fit{.seed = 0xfedcba9876543210U, .data_checksum = "0123456789abcdef0123456789abcdef"};
  fit.plan.folds = 2;
  for (std::uint64_t k = 0; k < 2; ++k) {
    Rng rng(31, Stream::kTest, k);
    ConeModel<float> model(7, options);
    fill_normal(rng, model.parameters().values());
    ConeFold fold{.encoder = {.options = options,
                              .num_features = 7,
                              .data_checksum = fit.data_checksum,
                              .outcome_mean = -2.5,
                              .outcome_scale = 0.1,
                              .parameters = model.parameters()},
                  .control = ArmNetwork(kColumns, options.hidden),
                  .treated = ArmNetwork(kColumns, options.hidden)};
    fold.propensity.coefficients = Matrix<double>(1, kColumns);
    for (std::size_t j = 0; j < kColumns; ++j) {
      fold.z_units.mean.push_back(static_cast<float>(rng.normal()));
      fold.z_units.scale.push_back(static_cast<float>(rng.exponential() + 0.1));
      fold.propensity.coefficients(0, j) = rng.normal();
    }
    for (ArmNetwork* arm : {&fold.control, &fold.treated}) {
      arm->units() = {.mean = rng.normal(), .scale = 1 + rng.uniform()};
      fill_normal(rng, arm->parameters().values());
    }
    fold.propensity.intercepts = {rng.normal()};
    fold.propensity.converged = k == 0;
    fold.propensity.iterations = 7;
    fold.training = {.status = TrainingStatus::kStoppedEarly,
                     .epochs = 90 + k,
                     .best_epoch = 60,
                     .validation_outcome_loss = 0.5,
                     .validation_treatment_loss = 0.6,
                     .outcome_error = 0.7,
                     .propensity_loss = 0.8};
    fit.folds.push_back(std::move(fold));
  }
  return fit;
}

}  // namespace cone::testing
