#pragma once

#include <optional>

#include "distributed/local_data.hpp"
#include "inference/neighbourhood.hpp"

namespace cone::distributed {

/// The distributed network, for sums over neighbours.
class RankNeighbourhood : public Neighbourhood {
 public:
  RankNeighbourhood(const Communicator& comm, const LocalData& local)
      : comm_(comm), local_(local) {}

  std::size_t size() const override { return local_.size(); }
  std::uint64_t num_nodes() const override { return local_.global.num_nodes; }
  std::uint64_t num_edge_ends() const override { return 2 * local_.global.edges.num_edges; }
  std::size_t degree(std::size_t row) const override { return local_.rows->lists->of(row).size(); }
  std::uint64_t number(std::size_t row) const override { return local_.rows->number[row]; }
  void add_neighbours(const Context& context, const Matrix<double>& x,
                      Matrix<double>& out) const override;
  const Graph& global_graph() const override;
  std::vector<double> gather(std::span<const double> column) const override;

 private:
  const Communicator& comm_;
  const LocalData& local_;
  mutable std::optional<Graph> graph_;  ///< gathered on first use; small networks only
};

}  // namespace cone::distributed
