#pragma once

#include "cone/dataset.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {

/// What a row that knows the topics sees in place of the words: the topics r_i, the sums Σ_j r_j
/// over the neighbours, and the degree, as measurements. Hidden edge weights stay hidden. For
/// studies only: no estimator of the program can reach topics. O(edges · topics).
FeatureTable topic_features(const TopicNetwork& network);

}  // namespace cone
