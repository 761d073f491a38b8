#pragma once

#include "cone/dataset.hpp"
#include "cone/features.hpp"

namespace cone {

/// The features as networks and kernels see them, one row per node.
///
/// Measurements have mean 0 and standard deviation 1 over all nodes: their units and zeros say
/// nothing, and a birth year near 1990 would drown everything else. Their sign is the one whose
/// skewness is not negative: a network starts from random weights, and would notice whether a dummy
/// was coded "is a smoker" or "is no smoker". Every entry of theirs is stored; constant columns are
/// left empty.
///
/// Counts are the per cent of the node's total (of magnitudes, should some be negative). Counts
/// reach hundreds in long texts, which would otherwise drown the short ones in their
/// neighbourhoods. Nodes without any stay zero.
///
/// So shifting, rescaling or (unless its skewness is 0) reversing a measurement, or multiplying all
/// counts by a number, changes nothing.
SparseMatrix encoder_input(const FeatureTable& features);

}  // namespace cone
