#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"

#include "cone_networks/encoder.hpp"
#include "nn/training_features.hpp"

namespace cone {

/// A dataset as CONE's encoders see it, made once for all folds: they only read it. Refers to the
/// dataset.
class ConeInput {
 public:
  explicit ConeInput(const Dataset& data);
  ConeInput(const ConeInput&) = delete;  // the training features refer to the matrix beside them
  ConeInput& operator=(const ConeInput&) = delete;

  const Dataset& data() const { return data_; }
  const TrainingFeatures<float>& features() const { return features_; }
  DataShape shape() const {
    return {.num_features = features_.num_features(), .num_arms = data_.num_arms()};
  }
  /// One per node: what is drawn for a node follows its id, not its place.
  std::span<const std::uint64_t> id_hashes() const { return id_hashes_; }

 private:
  const Dataset& data_;
  SparseMatrix matrix_;
  TrainingFeatures<float> features_;
  std::vector<std::uint64_t> id_hashes_;
};

}  // namespace cone
