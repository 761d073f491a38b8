#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"

#include "cone_networks/encoder.hpp"
#include "nn/training_features.hpp"

namespace cone {

/// The input of CONE's encoders, built once and shared by all folds. Refers to the dataset.
class ConeInput {
 public:
  explicit ConeInput(const Dataset& data);
  ConeInput(const ConeInput&) = delete;  // the training features refer to matrix_
  ConeInput& operator=(const ConeInput&) = delete;

  const Dataset& data() const { return data_; }
  const TrainingFeatures<float>& features() const { return features_; }
  DataShape shape() const {
    return {.num_features = features_.num_features(), .num_arms = data_.num_arms()};
  }
  /// One per node: random draws for a node depend on its id, not on its index.
  std::span<const std::uint64_t> id_hashes() const { return id_hashes_; }

 private:
  const Dataset& data_;
  SparseMatrix matrix_;
  TrainingFeatures<float> features_;
  std::vector<std::uint64_t> id_hashes_;
};

}  // namespace cone
