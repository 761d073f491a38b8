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

// What giving an arm to a node costs, as --cost says it: LABEL=NUMBER where it is the same for all,
// LABEL=COLUMN where a column of the table of nodes has it.

/// A fault for every word that is of neither form.
void check_costs(std::span<const std::string> words, std::vector<Fault>& faults);

/// The columns that the words name, for the loader. The words have been checked.
std::vector<KeptColumn> cost_columns(std::span<const std::string> words);

struct CostTable {
  std::vector<ArmCost> arms;  ///< one per arm; empty where nothing is said
  Matrix<double> per_node;    ///< nodes × arms, 0 where nothing is said; no rows without any word

  bool is_given() const { return !arms.empty(); }
};

/// The words have been checked. Throws Error(kUsage) for labels that the data does not have, naming
/// those that it has, for an arm with two costs, and for columns that were not kept.
CostTable read_costs(const Dataset& data, std::span<const std::string> words);

/// Mean cost of what units get by a policy, a table of the costs' rows × arms; none where no arm
/// has a cost.
std::optional<double> mean_cost(const Matrix<double>& policy, const CostTable& costs);

}  // namespace cone
