#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/features.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone::distributed {

/// The nodes of one rank with their data, as read. A node's number is its record in nodes.csv; rows
/// ascend by it.
struct NodeRows {
  std::vector<std::uint64_t> number;
  std::vector<std::uint64_t> hash;  ///< of the id: decides folds and samples
  std::vector<Arm> arm;
  std::vector<double> outcome;
  Matrix<double> numeric;         ///< nodes × numeric features, as read
  Matrix<double> truth;           ///< potential outcomes, nodes × arms; no columns where unknown
  Matrix<double> propensity, mu;  ///< given by the user; dropped once they are in the checksum
  std::vector<std::uint64_t> edge_offsets = {0};
  std::vector<std::uint64_t> neighbours;  ///< node numbers, ascending, each once
  std::vector<std::uint32_t> group;       ///< community (find_groups); empty where not searched
  SparseMatrix counts;                    ///< nodes × count features, as read
  std::vector<Matrix<double>> policies;   ///< nodes × arms each

  std::size_t size() const { return number.size(); }
};

/// What all ranks know about the complete dataset.
struct GlobalData {
  std::uint64_t num_nodes = 0;
  EdgeListReport edges;
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<std::uint64_t> arm_sizes;
  std::vector<std::string> numeric_names;
  std::size_t num_count_features = 0;
  std::vector<std::string> count_names;
  std::vector<std::string> policy_names;
  std::uint64_t num_groups = 0;                 ///< communities; 0 where not searched
  double group_cut_share = 0;                   ///< share of edges between communities
  bool has_propensity = false, has_mu = false;  ///< given by the user; not used here
  std::string checksum;  ///< of the data; empty where node numbers exceed 32 bits
  std::vector<std::string> policy_checksums;
  std::vector<std::string> notes;
};

}  // namespace cone::distributed
