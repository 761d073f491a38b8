#pragma once

#include "cone/dataset.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {

/// The features of the oracle row: the true topics r_i, the sums Σ_j r_j over the neighbours, and
/// the degree, as numeric features; edge weights stay unobserved. For studies only: no estimator of
/// the program has access to topics. O(edges · topics).
FeatureTable topic_features(const TopicNetwork& network);

}  // namespace cone
