#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"

#include "options/record_json.hpp"

/// \file
/// What the lines of all records share (options/record_json.hpp explains lines).

namespace cone {

inline constexpr SchemaKeywords kChecksum{R"("pattern": "^[0-9a-f]{32}$")"};
/// Of errors: not the largest, which is a choice among these.
inline constexpr SchemaKeywords kDependence{
    R"("enum": ["independent", "neighbours", "common_neighbours", "clusters", "pooled"])"};
inline constexpr SchemaKeywords kAtLeastOne{R"("minItems": 1)"};
inline constexpr SchemaKeywords kArmCount{R"("minItems": 2, "maxItems": 16)"};

/// The first lines of every record.
void list_origin(std::string_view schema, std::string_view version, std::string_view revision,
                 std::string_view commit, auto& line) {
  line("schema", schema, "Name and version of this schema", Constant());
  line("version", version, "Version of the program",
       SchemaKeywords{R"("pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$")"});
  line("revision", revision, "Checksum of the program's sources",
       SchemaKeywords{R"("pattern": "^[0-9a-f]{16}$")"});
  line("commit", commit,
       "Commit that the program was built from; ends in -dirty if the working tree had changes");
}

/// The direction of better outcomes.
void list_outcome(const std::string& outcome, bool lower_is_better, auto& line) {
  line("outcome", known(outcome), "Name of the outcome column; null where it is not known");
  line("lower_is_better", lower_is_better,
       "Lower outcomes are better (--lower-is-better); else higher ones are");
}

inline std::vector<std::pair<std::string, double>> costs_by_arm(const std::vector<ArmCost>& arms) {
  std::vector<std::pair<std::string, double>> costs;
  for (const ArmCost& arm : arms) costs.emplace_back(arm.label, arm.cost);
  return costs;
}

inline std::vector<std::pair<std::string, std::string>> cost_columns_by_arm(
    const std::vector<ArmCost>& arms) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const ArmCost& arm : arms) {
    if (!arm.column.empty()) columns.emplace_back(arm.label, arm.column);
  }
  return columns;
}

void list_cost_columns(const std::vector<ArmCost>& arms, auto& line) {
  const auto columns = cost_columns_by_arm(arms);
  line("cost_columns", columns, "Columns with the cost of an arm per unit, where --cost names one",
       if_any());
}

}  // namespace cone
