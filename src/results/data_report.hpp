#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/dataset.hpp"

namespace cone {

inline constexpr std::string_view kDataReportSchema = "cone.check/2";

/// How the loader read a dataset; nothing is estimated.
struct DataReport {
  struct Column {
    TableColumn summary;
    double min = 0;  ///< of the outcome, and of a feature that became one column
    double max = 0;
    bool has_range = false;
  };
  struct Arm {
    std::string label;
    std::uint64_t num_nodes = 0;
    double outcome_mean = 0;
    double outcome_sd = 0;
  };
  /// Standardised mean difference: (mean of the arm − mean of the control arm) / square root of the
  /// mean of the two variances.
  struct Difference {
    std::string feature;
    std::string arm;
    double standardised = 0;
  };
  struct Network {
    std::uint64_t num_edges = 0;
    std::uint64_t num_isolated = 0;
    std::uint64_t num_components = 0;
    std::uint64_t largest_component = 0;
    std::uint64_t max_degree = 0;
  };
  struct Policy {
    std::string name;
    std::vector<double> arm_shares;  ///< mean probability of every arm
  };

  std::uint64_t num_nodes = 0;
  std::uint64_t num_numeric_features = 0;  ///< standardised
  std::uint64_t num_counts = 0;            ///< count features, scaled by row
  std::string checksum;
  std::vector<Column> columns;
  std::vector<Arm> arms;                ///< the control arm first
  std::vector<Difference> differences;  ///< the largest, in descending order
  Network network;
  std::vector<Policy> policies;
  std::vector<std::string> notes;
};

/// Needs logged treatments and outcomes. O(entries + edges).
DataReport report_data(const LoadedData& data);

nlohmann::ordered_json to_json(const DataReport& report);
std::string data_report_text(const DataReport& report);

}  // namespace cone
