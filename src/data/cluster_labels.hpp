#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/csv.hpp"

namespace cone::load {

/// Labels of clusters, any text, numbered in the order of first appearance.
class ClusterLabels {
 public:
  /// The number of the label.
  std::uint32_t add(std::string_view label);

  /// In the order of their numbers.
  std::span<const std::string> labels() const { return labels_; }

 private:
  std::vector<std::string> labels_;
  std::unordered_map<std::string, std::uint32_t> number_;
};

/// Replaces cluster numbers of a chunk of the file by cluster numbers of the whole file.
void join_clusters(const CsvFile& file, std::span<const ClusterLabels> by_chunk,
                   std::vector<std::uint32_t>& cluster);

}  // namespace cone::load
