#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"

namespace cone {

/// Features that are left out together: a column of the user's table with all that it became (a
/// category has one feature per level), or all count features.
struct FeatureGroup {
  std::string name;
  std::vector<std::uint32_t> columns;
  /// The largest difference over its features between the mean of an arm and that of all nodes, in
  /// standard deviations. 0 for count features, which are not compared one by one.
  double imbalance = 0;
};

/// In the order of the table, count features last. Columns without any variation are not listed.
std::vector<FeatureGroup> list_feature_groups(const LoadedData& data);

/// The data with the group's features all zero, which no learner uses.
Dataset leave_out(const Dataset& data, const FeatureGroup& group);

/// The data without any edges.
Dataset leave_out_network(const Dataset& data);

}  // namespace cone
