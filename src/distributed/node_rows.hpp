#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/features.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone::distributed {

/// What one rank has of the data: some nodes, with all that is known about them. A node's number is
/// its record in nodes.csv; rows ascend by it.
struct NodeRows {
  std::vector<std::uint64_t> number;
  std::vector<std::uint64_t> hash;  ///< of the id: folds and samples go by it
  std::vector<Arm> arm;
  std::vector<double> outcome;
  Matrix<double> columns;         ///< measurements, as they were read
  Matrix<double> truth;           ///< nodes × arms; no columns where it is not known
  Matrix<double> propensity, mu;  ///< of the user's own, until the checksum has them
  std::vector<std::uint64_t> edge_offsets = {0};
  std::vector<std::uint64_t> neighbours;  ///< numbers, ascending, each once
  std::vector<std::uint32_t> group;  ///< of neighbours (find_groups); empty where none are known
  SparseMatrix words;                ///< counts, as they were read
  std::vector<Matrix<double>> policies;  ///< nodes × arms each

  std::size_t size() const { return number.size(); }
};

/// What all ranks know about the whole.
struct WholeData {
  std::uint64_t num_nodes = 0;
  EdgeListReport edges;
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<std::uint64_t> arm_sizes;
  std::vector<std::string> column_names;
  std::size_t num_words = 0;
  std::vector<std::string> word_names;
  std::vector<std::string> policy_names;
  std::uint64_t num_groups = 0;                 ///< of neighbours; 0 where they were not looked for
  double group_cut_share = 0;                   ///< of edge ends, that lead out of their group
  bool has_propensity = false, has_mu = false;  ///< of the user's own, which nothing here uses
  std::string checksum;  ///< of the data; empty where no machine alone counts as far
  std::vector<std::string> policy_checksums;
  std::vector<std::string> notes;
};

}  // namespace cone::distributed
