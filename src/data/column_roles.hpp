#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"
#include "cone/load.hpp"

#include "data/csv.hpp"

namespace cone::load {

enum class FeatureRole { kMeasurement, kCategory, kCount };

struct FeatureColumn {
  std::size_t column;
  FeatureRole role = FeatureRole::kMeasurement;
};

/// What the numbers of a column that is no feature are.
enum class Quantity { kOutcome, kWeight, kPropensity, kMu, kTruth, kKept };

/// A column of numbers that is no feature.
struct NumberRole {
  std::string
      name;  ///< "outcome", "weight", "propensity", "mu0", "mu1", "y0", "y1", "mu:email", ...
  std::size_t column;
  Quantity quantity = Quantity::kOutcome;
  std::string label;         ///< of the arm it is about; empty for outcome and weight
  bool is_labelled = false;  ///< by its name, as propensity:email is
};

/// Which column of the table of nodes is what.
struct ColumnRoles {
  std::optional<std::size_t> id, treatment, cluster;
  std::vector<NumberRole> numbers;
  std::vector<FeatureColumn> features;  ///< in the order of the file, counts after all others

  std::optional<std::size_t> find(std::string_view role) const;
};

/// Gives every column its role, by the options and then by its name. Nothing where the table has
/// neither a treatment nor an outcome: it is some other file. Ambiguities become notes.
std::optional<ColumnRoles> assign_roles(const CsvFile& file, const LoadOptions& options,
                                        FaultList& faults, std::vector<std::string>& notes);

/// "propensity", "mu" or "y": how columns of this quantity are called before their colon.
const char* quantity_name(Quantity quantity);

/// The role of a column by its name alone: `propensity`, `mu0`, `mu1`, `y0`, `y1`, or a quantity
/// and a label, as `y:email`. The column's number is 0.
std::optional<NumberRole> given_role(std::string_view name);

}  // namespace cone::load
