#pragma once

#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// One entry per arm: for the features that differ most, the means of neighbours of the same
/// features and the degree, how far the arm's mean is from that of all nodes, before and after
/// weighting the arm by 1/e. Nodes without neighbours have no mean of neighbours and are left out
/// there. `e`: sample × arms. Nodes of the sample are rows of the features and of the network; over
/// all processes that share it. O(entries + edges · columns shown).
std::vector<ArmBalance> measure_balance(const Context& context, const FeatureTable& features,
                                        const Neighbourhood& network, const LoggedSample& sample,
                                        MatrixView<const double> e);

}  // namespace cone
