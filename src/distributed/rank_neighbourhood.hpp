#pragma once

#include <optional>

#include "distributed/share.hpp"
#include "inference/neighbourhood.hpp"

namespace cone::distributed {

/// The network of all ranks for those who sum over neighbours.
class RankNeighbourhood : public Neighbourhood {
 public:
  RankNeighbourhood(const Ranks& ranks, const Share& share) : ranks_(ranks), share_(share) {}

  std::size_t size() const override { return share_.size(); }
  std::uint64_t num_nodes() const override { return share_.whole.num_nodes; }
  std::uint64_t num_edge_ends() const override { return 2 * share_.whole.edges.num_edges; }
  std::size_t degree(std::size_t row) const override {
    return share_.list_offsets[row + 1] - share_.list_offsets[row];
  }
  std::uint64_t number(std::size_t row) const override { return share_.number[row]; }
  void add_neighbours(const Context& context, const Matrix<double>& x,
                      Matrix<double>& out) const override;
  const Graph& whole() const override;
  std::vector<double> gather(std::span<const double> column) const override;

 private:
  const Ranks& ranks_;
  const Share& share_;
  mutable std::optional<Graph> whole_;  ///< of a small network, once somebody asked
};

}  // namespace cone::distributed
