#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/matrix.hpp"

namespace cone {

// Cost of assigning an arm to a node, as given by --cost: LABEL=NUMBER where it is the same for all
// nodes, LABEL=COLUMN where a column of the node table holds it.

/// A fault for every argument that has neither form.
void check_costs(std::span<const std::string> arguments, std::vector<Fault>& faults);

struct CostTable {
  std::vector<ArmCost> arms;  ///< one per arm; empty without --cost
  Matrix<double> per_node;    ///< nodes × arms, 0 for arms without a cost; no rows without --cost

  bool is_given() const { return !arms.empty(); }
};

/// The arguments have been checked. Throws Error(kUsage) for labels that the data does not have,
/// naming those that it has, for an arm with two costs, and for columns that were not kept.
CostTable read_costs(const Dataset& data, std::span<const std::string> arguments);

/// Mean cost per node of a policy (nodes × arms, the rows of `costs`) over all ranks; none where no
/// arm has a cost.
std::optional<double> mean_cost(const Matrix<double>& policy, const CostTable& costs,
                                const Communicator& comm);

}  // namespace cone
