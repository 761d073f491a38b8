#include "data/cluster_labels.hpp"

#include <algorithm>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "data/load_parts.hpp"

namespace cone::load {

std::uint32_t ClusterLabels::add(std::string_view label) {
  const auto [found, is_new] =
      number_.try_emplace(std::string(label), static_cast<std::uint32_t>(labels_.size()));
  if (is_new) labels_.emplace_back(label);
  return found->second;
}

void join_clusters(const CsvFile& file, std::span<const ClusterLabels> by_chunk,
                   std::vector<std::uint32_t>& cluster) {
  ClusterLabels all;
  for (std::size_t number = 0; number < by_chunk.size(); ++number) {
    std::vector<std::uint32_t> number_of;
    for (const std::string& label : by_chunk[number].labels()) number_of.push_back(all.add(label));
    if (number_of.empty()) continue;  // every line of the chunk lacks a label
    const CsvChunk& chunk = file.chunks()[number];
    for (std::uint64_t row = chunk.first_record; row < chunk.first_record + chunk.num_records;
         ++row) {
      cluster[row] = number_of[cluster[row]];
    }
  }
}

void number_clusters(std::vector<std::uint32_t>& cluster) {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& c : cluster) {
    c = number.try_emplace(c, static_cast<std::uint32_t>(number.size())).first->second;
  }
}

void check_clusters(const std::string& table, const std::string& column,
                    std::span<const std::uint32_t> cluster, FaultList& faults) {
  if (cluster.empty() || std::ranges::any_of(cluster, [](std::uint32_t c) { return c != 0; })) {
    return;
  }
  faults.add("cluster", {{.file = table, .column = printable(column)},
                         "all nodes are in one cluster: cluster-robust errors need at least two",
                         "name a column with several clusters, or leave it out"});
}

void check_weights(const std::string& table, const std::string& column,
                   std::span<const double> weight, FaultList& faults) {
  if (weight.empty() || std::ranges::any_of(weight, [](double w) { return w != 0; })) return;
  faults.add("weight", {{.file = table, .column = printable(column)},
                        "every weight is 0",
                        "give at least one node a weight above 0"});
}

}  // namespace cone::load
