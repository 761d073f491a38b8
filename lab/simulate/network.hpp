#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

namespace cone {

struct SyntheticNetwork {
  Graph graph;
  Matrix<double> topics;                 ///< nodes × topics, rows sum to 1
  SparseMatrix words;                    ///< nodes × words, counts
  std::vector<std::uint32_t> community;  ///< one per node, below options.communities
};

/// Draws a network. With m = the nodes that are not isolated and E = nodes · mean_degree / 2:
///
/// Communities. g_i uniform. Weights θ_i from the density ∝ x^−degree_exponent on [low, √(2E)],
/// low such that E[θ] = the mean degree left after step 1. Above √(2E) two hubs would expect more
/// than the one edge that a simple graph allows.
///
/// Edges, a union of cliques on nodes drawn with P(i) ∝ θ_i, so that E[degree_i] ≈ 2 + θ_i:
/// 1. a random recursive tree over the m nodes in random order (each joins a uniformly drawn
///    earlier node), which makes the graph connected by construction; it adds 1 + about Exp(1) to
///    a degree, too light a tail to disturb the power law;
/// 2. cliques of s nodes with a fraction c of the edges, c (up to 0.9) and then s as large as the
///    clustering asked for requires;
/// 3. single edges, i.e. cliques of 2, for the rest.
/// A fraction homophily of the cliques of each size (and of the tree's edges, on average) stays
/// within one community, the others ignore communities: a degree-corrected planted partition
/// (Karrer and Newman 2011, Stochastic Blockmodels and Community Structure in Networks) whose
/// expected assortativity (Newman 2003, Mixing Patterns in Networks) equals homophily, plus
/// cliques, because the clustering of a block model vanishes as 1/nodes and that of social networks
/// does not.
/// 4. repeated edges and self loops are dropped, and single edges within and across communities
///    are added up to E edges and the fraction asked for within communities.
///
/// Topics. Community profiles q_g ~ Dirichlet(0.2), r_i ~ Dirichlet(5 (0.85 q_{g_i} + 0.15 / K)):
/// nodes of a community are alike, not equal. With the defaults the topics of neighbours correlate
/// at 0.07 (topic_homophily), as those of a 50-topic model of BlogCatalog do.
///
/// Words. Topic k orders the vocabulary at random, favouring words of low index (Plackett–Luce,
/// weights ∝ 1 / (1 + index)), and uses the word of rank a with probability ∝ a^−zipf_exponent.
/// A node draws topic, then word, until it has as many distinct words as its log-normal draw around
/// words_per_node; the matrix holds the counts.
///
/// Exact: connectedness, isolated nodes, no self loops or repeats, and the number of edges unless
/// step 4 runs out of free pairs. Within 2 %: homophily. Within 10 % (20 % for mean degrees
/// under 10): clustering, over that of the same options with clustering 0.
/// Approximate: the tail exponent; degrees of 3 means and more show it, until the cut-off.
///
/// A function of the seed and the options. O(edges + nodes · topics + words drawn); the peak is
/// about the result plus 8 bytes per edge plus 6 bytes per word kept.
SyntheticNetwork generate_network(const Context& context, const NetworkOptions& options);

}  // namespace cone
