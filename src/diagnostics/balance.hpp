#pragma once

#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// One entry per arm: standardised mean differences between the arm and all nodes, before and after
/// weighting the arm by 1/e (Austin 2009, Balance diagnostics for comparing the distribution of
/// baseline covariates between treatment groups in propensity-score matched samples), of the most
/// unbalanced features, of their means over neighbours and of the degree. Nodes without neighbours
/// have no mean over neighbours and are left out there. `e`: sample × arms. Nodes of the sample are
/// rows of the features and of the network; over all ranks. O(entries + edges · columns shown).
std::vector<ArmBalance> measure_balance(const Context& context, const FeatureTable& features,
                                        const Neighbourhood& network, const LoggedSample& sample,
                                        MatrixView<const double> e);

}  // namespace cone
