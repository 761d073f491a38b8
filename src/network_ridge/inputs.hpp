#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/features.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// What the network ridge sees of a dataset, with the nodes of an arm next to each other: the nodes
/// of an arm are one range of rows, and the neighbours of a node that are in an arm are one range
/// of its list. "Position" is a node's number in this order.
///
/// Words (counts) become their square roots in rows of unit length; measurements are standardised
/// over all nodes; those that are constant, or say the same as one before (column_copies.hpp), are
/// dropped. No outcome enters.
struct RidgeInputs {
  std::vector<NodeIndex> node_at;          ///< position → node
  std::vector<std::uint32_t> position_of;  ///< node → position
  std::vector<std::size_t> arm_begin;      ///< arms + 1: the positions of arm a
  Graph graph;                             ///< of positions
  std::vector<std::uint64_t>
      arm_split;  ///< positions × arms + 1: where (position, arm) starts in graph
  std::vector<double> degree;
  std::vector<double> relative_degree;    ///< degree / mean degree; 0 without edges
  std::vector<double> inverse_degree;     ///< 1 / max(degree, 1)
  SparseMatrix words;                     ///< positions × words
  SparseMatrix positions_of_words;        ///< words × positions
  std::vector<std::uint64_t> word_split;  ///< words × arms + 1, as arm_split
  Matrix<double> columns;                 ///< positions × measurements
  Matrix<double> smooth;                  ///< positions × features of the Gaussian kernel
  double bandwidth = 0;                   ///< of that kernel
  Matrix<double> curves;                  ///< positions × features of the curves of single columns

  std::size_t num_nodes() const { return node_at.size(); }
  std::size_t num_arms() const { return arm_begin.size() - 1; }
  bool has_edges() const { return graph.num_edges() > 0; }
  Arm arm_of(std::size_t position) const;
};

/// What to make of the measurements beside themselves.
struct MadeFeatures {
  bool smooth = true;
  bool curves = true;
};

/// O(entries + edges), and what the features of kernels take (smooth_features.hpp,
/// curve_features.hpp).
RidgeInputs prepare_inputs(const Context& context, const Dataset& data, const MadeFeatures& made);

}  // namespace cone
