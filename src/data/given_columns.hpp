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

/// Propensities, outcome model predictions or true outcomes of one arm, as given by the user.
struct GivenColumn {
  NumberRole role;
  std::vector<double> values;  ///< one per row
};

/// Tolerance for probabilities that were rounded to six decimals.
inline constexpr double kSumTolerance = 1e-6;

/// Refuses columns for arms that the data does not have, and arms without a column: every arm
/// needs one. The control arm's propensity may be omitted, as it follows from the others.
void check_given_arms(const FaultTable& table, std::span<const std::string> arms,
                      std::span<const GivenColumn> given, FaultList& faults);

/// Counts, over the rows that `is_usable`, probabilities that do not add up to 1 and logged actions
/// of probability zero. `locate(row, column)` returns the location and the text of a cell.
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
