#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/simulate.hpp"

#include "simulate/alias_table.hpp"
#include "simulate/network.hpp"

namespace cone {

/// The nodes before edges are drawn: which are isolated, their communities and weights θ.
struct Population {
  /// The connected nodes in their random order of arrival.
  std::vector<NodeIndex> arrivals;
  std::vector<std::uint32_t> community;         ///< of every node
  std::vector<double> weight;                   ///< θ of every node
  std::vector<std::vector<NodeIndex>> members;  ///< connected nodes of a community, by arrival
  std::vector<AliasTable> member_tables;        ///< P(member) ∝ θ; empty for empty communities
  AliasTable community_table;                   ///< P(community) ∝ Σ θ of its members

  std::uint32_t draw_community(Rng& rng) const { return community_table.draw(rng); }
  NodeIndex draw_member(Rng& rng, std::uint32_t g) const {
    return members[g][member_tables[g].draw(rng)];
  }
  NodeIndex draw_node(Rng& rng) const { return draw_member(rng, draw_community(rng)); }
  /// Probability that two nodes drawn with P ∝ θ belong to one community.
  double probability_within() const;
};

/// Number of nodes with edges.
std::size_t num_connected(const NetworkOptions& options);
/// Number of undirected edges asked for.
std::uint64_t num_edges_wanted(const NetworkOptions& options);

Population draw_population(const Context& context, const NetworkOptions& options);

}  // namespace cone
