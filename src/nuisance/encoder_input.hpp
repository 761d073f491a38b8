#pragma once

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The features as the input of neural networks and kernels, one row per node.
///
/// Numeric features have mean 0 and standard deviation 1 over all nodes: their units and zeros
/// carry no information, and a birth year near 1990 would dominate everything else. Their sign is
/// chosen so that the skewness is not negative: a network starts from random weights, so that its
/// fit would depend on whether a dummy codes "smoker" or "non-smoker". All their entries are
/// stored; constant columns are empty.
///
/// Count features are percentages of the node's total (of magnitudes, should some be negative).
/// Counts reach hundreds in long texts, which would otherwise dominate the short ones in their
/// neighbourhoods. Nodes without any stay zero.
///
/// So shifting, rescaling or (unless its skewness is 0) reversing a numeric feature, or multiplying
/// all counts by a number, changes nothing.
SparseMatrix encoder_input(const FeatureTable& features);

}  // namespace cone
