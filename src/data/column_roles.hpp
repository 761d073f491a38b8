#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/csv.hpp"
#include "data/load_options.hpp"

namespace cone::load {

enum class FeatureRole { kMeasurement, kCategory, kCount };

struct FeatureColumn {
  std::size_t column;
  FeatureRole role = FeatureRole::kMeasurement;
};

/// A column of numbers that is no feature.
struct NumberRole {
  const char* name;  ///< "outcome", "propensity", "mu0", "mu1", "y0", "y1"
  std::size_t column;
};

/// Which column of the table of nodes is what.
struct ColumnRoles {
  std::optional<std::size_t> id, treatment;
  std::vector<NumberRole> numbers;
  std::vector<FeatureColumn> features;  ///< in the order of the file, counts after all others

  std::optional<std::size_t> find(std::string_view role) const;
};

/// Gives every column its role, by the options and then by its name. Nothing where the table has
/// neither a treatment nor an outcome: it is some other file. Ambiguities become notes.
std::optional<ColumnRoles> assign_roles(const CsvFile& file, const LoadOptions& options,
                                        FaultList& faults, std::vector<std::string>& notes);

}  // namespace cone::load
