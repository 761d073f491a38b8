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
/// Functions are collective: called by all ranks.
class Neighbourhood {
 public:
  virtual ~Neighbourhood() = default;
  virtual std::size_t size() const = 0;  ///< local rows
  virtual std::uint64_t num_nodes() const = 0;
  virtual std::uint64_t num_edge_ends() const = 0;
  virtual std::size_t degree(std::size_t row) const = 0;
  /// Index of the row's node in the order of the data.
  virtual std::uint64_t number(std::size_t row) const = 0;
  /// out_i += Σ x_j over the neighbours j of i; one row per local row.
  virtual void add_neighbours(const Context& context, const Matrix<double>& x,
                              Matrix<double>& out) const = 0;
  /// The network of all ranks, and a column of all nodes in its order: for small networks only.
  virtual const Graph& global_graph() const = 0;
  virtual std::vector<double> gather(std::span<const double> column) const = 0;
};

/// A network that this process holds completely.
class LocalNeighbourhood : public Neighbourhood {
 public:
  explicit LocalNeighbourhood(const Graph& graph) : graph_(graph) {}
  std::size_t size() const override { return graph_.num_nodes(); }
  std::uint64_t num_nodes() const override { return graph_.num_nodes(); }
  std::uint64_t num_edge_ends() const override { return graph_.neighbours().size(); }
  std::size_t degree(std::size_t row) const override {
    return graph_.degree(static_cast<NodeIndex>(row));
  }
  std::uint64_t number(std::size_t row) const override { return row; }
  void add_neighbours(const Context& context, const Matrix<double>& x,
                      Matrix<double>& out) const override;
  const Graph& global_graph() const override { return graph_; }
  std::vector<double> gather(std::span<const double> column) const override {
    return {column.begin(), column.end()};
  }

 private:
  const Graph& graph_;
};

/// The part of a distributed network that this rank has; its functions are collective. The dataset
/// must outlive it.
class DistributedNeighbourhood : public Neighbourhood {
 public:
  explicit DistributedNeighbourhood(const Dataset& data) : data_(data) {}
  std::size_t size() const override { return data_.num_nodes(); }
  std::uint64_t num_nodes() const override { return data_.num_nodes_of_all(); }
  std::uint64_t num_edge_ends() const override { return 2 * data_.num_edges(); }
  std::size_t degree(std::size_t row) const override {
    return data_.degree(static_cast<NodeIndex>(row));
  }
  std::uint64_t number(std::size_t row) const override {
    return data_.number_of(static_cast<NodeIndex>(row));
  }
  void add_neighbours(const Context& context, const Matrix<double>& x,
                      Matrix<double>& out) const override;
  const Graph& global_graph() const override;
  std::vector<double> gather(std::span<const double> column) const override;

 private:
  const Dataset& data_;
  mutable std::optional<Graph> graph_;  ///< global_graph(), once it was requested
};

/// The network of the data, which must outlive it.
std::unique_ptr<Neighbourhood> make_neighbourhood(const Dataset& data);

}  // namespace cone
