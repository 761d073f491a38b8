#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

// Tables of distributed data on the root, in the order of the data, for what needs all nodes in one
// process. Elsewhere they are empty; in one process nothing changes. Collective.

namespace cone {

/// The predictions with a limit, which is NaN elsewhere; rows × arms.
std::vector<ImplausiblePrediction> list_implausible(const Matrix<double>& predicted,
                                                    const Matrix<double>& limit);

/// The numbers of this rank's `nodes` in the data, which are their indices in one process.
std::vector<NodeIndex> gather_numbers(const Dataset& data, std::span<const NodeIndex> nodes);

/// `table` has one row for each of the `nodes`.
OutcomeTable gather_table(const Dataset& data, std::span<const NodeIndex> nodes,
                          OutcomeTable table);
PropensityTable gather_table(const Dataset& data, std::span<const NodeIndex> nodes,
                             PropensityTable table);

}  // namespace cone
