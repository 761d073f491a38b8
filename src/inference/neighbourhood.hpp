#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// A network that may be distributed over ranks, accessed by sums over neighbours and local rows.
/// What it is made of must outlive it.
class Neighbourhood {
 public:
  /// A network that this process holds completely.
  explicit Neighbourhood(const Graph& graph)
      : offsets_(graph.offsets()), rows_(graph.neighbours()), graph_(&graph) {}
  /// That of the data: on ranks, the part that this rank has.
  explicit Neighbourhood(const Dataset& data);
  Neighbourhood(const Neighbourhood&) = delete;
  Neighbourhood& operator=(const Neighbourhood&) = delete;

  std::size_t size() const { return offsets_.size() - 1; }  ///< local rows
  std::uint64_t num_nodes() const { return data_ ? data_->num_nodes_of_all() : size(); }
  std::uint64_t num_edge_ends() const { return data_ ? 2 * data_->num_edges() : rows_.size(); }
  std::size_t degree(std::size_t row) const { return offsets_[row + 1] - offsets_[row]; }
  /// Index of the row's node in the order of the data.
  std::uint64_t number(std::size_t row) const {
    return data_ ? data_->number_of(static_cast<NodeIndex>(row)) : row;
  }
  /// out_i += Σ x_j over the neighbours j of i; one row per local row. Collective, as the
  /// following.
  void add_neighbours(const Context& context, const Matrix<double>& x, Matrix<double>& out) const;
  /// The network of all ranks, and a column of all nodes in its order: for small networks only.
  const Graph& global_graph() const;
  std::vector<double> gather(std::span<const double> column) const;

 private:
  std::span<const std::uint64_t> offsets_;
  std::span<const std::uint32_t> rows_;
  const Dataset* data_ = nullptr;        ///< where it is distributed
  const Graph* graph_ = nullptr;         ///< where it is not
  mutable std::optional<Graph> global_;  ///< global_graph(), once it was requested
};

/// The network of the data, which must outlive it.
inline std::unique_ptr<Neighbourhood> make_neighbourhood(const Dataset& data) {
  return std::make_unique<Neighbourhood>(data);
}

}  // namespace cone
