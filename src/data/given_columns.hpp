#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "data/cell_tally.hpp"
#include "data/column_roles.hpp"

namespace cone::load {

/// Propensities, outcome models or true outcomes of one arm, as the user brought them.
struct GivenColumn {
  NumberRole role;
  std::vector<double> values;  ///< one per row
};

/// Probabilities may miss 1 by what six decimals lose.
inline constexpr double kSumTolerance = 1e-6;

/// Refuses columns about arms that the data does not have, and arms without a column: every arm
/// needs one. The control arm's propensity may be left out, as it follows from the others.
void check_given_arms(const FaultTable& table, std::span<const std::string> arms,
                      std::span<const GivenColumn> given, FaultList& faults);

/// Looks at every row that `is_usable`: probabilities that do not add up to 1, and logged actions
/// of probability zero. `locate(row, column)` says where a cell is and what stands in it.
void tally_propensities(std::span<const std::string> arms, std::span<const GivenColumn> given,
                        std::span<const Arm> treatment,
                        const std::function<bool(std::size_t)>& is_usable,
                        const std::function<Tally(std::size_t, std::size_t)>& locate,
                        CellTallies& odd);

/// The columns as tables of nodes × arms.
struct GivenTables {
  std::optional<Matrix<double>> propensity, mu, truth;
};

/// For columns that passed check_given_arms.
GivenTables join_given(std::span<const std::string> arms, std::span<const GivenColumn> given);

}  // namespace cone::load
