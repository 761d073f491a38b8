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

enum class FeatureRole { kNumeric, kCategory, kCount };

struct FeatureColumn {
  std::size_t column;
  FeatureRole role = FeatureRole::kNumeric;
};

/// What a numeric column other than a feature holds.
enum class Quantity { kOutcome, kWeight, kPropensity, kMu, kTruth, kKept };

/// A numeric column other than a feature.
struct NumberRole {
  std::string
      name;  ///< "outcome", "weight", "propensity", "mu0", "mu1", "y0", "y1", "mu:email", ...
  std::size_t column;
  Quantity quantity = Quantity::kOutcome;
  std::string label;         ///< of its arm; empty for outcome and weight
  bool is_labelled = false;  ///< whether the name has the label, as propensity:email
};

/// The roles of the columns of the node table.
struct ColumnRoles {
  std::optional<std::size_t> id, treatment, cluster;
  std::vector<NumberRole> numbers;
  std::vector<FeatureColumn> features;  ///< in the order of the file, counts after all others

  std::optional<std::size_t> find(std::string_view role) const;
};

/// Assigns every column its role, by the options and then by its name. Nothing where the table has
/// neither a treatment nor an outcome: it is some other file. Ambiguities become notes.
std::optional<ColumnRoles> assign_roles(const CsvFile& file, const LoadOptions& options,
                                        FaultList& faults, std::vector<std::string>& notes);

/// "propensity", "mu" or "y": the part of a column's name before the colon.
const char* quantity_name(Quantity quantity);

/// The role of a column by its name alone: `propensity`, `mu0`, `mu1`, `y0`, `y1`, or a quantity
/// and a label, as `y:email`. Its column index is 0.
std::optional<NumberRole> given_role(std::string_view name);

}  // namespace cone::load
