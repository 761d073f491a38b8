#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/encoder.hpp"
#include "nn/train.hpp"

namespace cone::testing {

inline void fill_normal(Rng& rng, std::span<float> values) {
  for (float& value : values) value = static_cast<float>(rng.normal());
}

/// An untrained fit of two folds with two layers, seven features and random weights.
inline ConeFit random_fit(std::vector<std::string> arms = {"0", "1"}) {
  ConeFit fit{.seed = 0xfedcba9876543210U,
              .data_checksum = "0123456789abcdef0123456789abcdef",
              .num_features = 7,
              .arms = std::move(arms)};
  fit.plan.folds = 2;
  fit.options.heads = 2;
  fit.options.head_size = 4;
  fit.options.hidden = 8;
  fit.options.layers = 2;
  fit.options.dropout = 0.1;
  constexpr std::size_t kColumns = 16;
  for (std::uint64_t k = 0; k < 2; ++k) {
    Rng rng(31, Stream::kTest, k);
    Encoder<float> encoder(fit.shape(), fit.options);
    fill_normal(rng, encoder.parameters().values());
    ConeFold fold{.encoder = {.outcome_units = {.mean = -2.5, .scale = 0.1},
                              .parameters = encoder.parameters().without_gradients()}};
    for (std::size_t j = 0; j < kColumns; ++j) {
      fold.z_units.mean.push_back(static_cast<float>(rng.normal()));
      fold.z_units.scale.push_back(static_cast<float>(rng.exponential() + 0.1));
    }
    fold.propensity.coefficients = Matrix<double>(fit.arms.size() - 1, kColumns);
    for (double& value : fold.propensity.coefficients.values()) value = rng.normal();
    for (std::size_t a = 0; a < fit.arms.size(); ++a) {
      ArmNetwork& network = fold.outcomes.emplace_back(kColumns, fit.options.hidden);
      network.units() = {.mean = rng.normal(), .scale = 1 + rng.uniform()};
      fill_normal(rng, network.parameters().values());
      if (a > 0) fold.propensity.intercepts.push_back(rng.normal());
    }
    fold.propensity.converged = k == 0;
    fold.propensity.iterations = 7;
    fold.training = {.status = TrainingStatus::kStoppedEarly,
                     .epochs = 90 + k,
                     .best_epoch = 60,
                     .encoder_head_mse = 0.5,
                     .treatment_head_loss = 0.6,
                     .arm_network_mse = 0.7,
                     .propensity_loss = 0.8};
    fit.folds.push_back(std::move(fold));
  }
  return fit;
}

inline Nuisances predict(const Context& context, const Dataset& data, const ConeFit& fit) {
  const FitPlan plan = redraw_plan_checked(context, data, fit);
  const Matrix<float> z = fit.z.rows() > 0 ? fit.z : encode_scored_nodes(context, data, plan, fit);
  return predict_cone(context, data, plan, fit.folds, z, 0.01);
}

}  // namespace cone::testing
