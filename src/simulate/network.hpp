#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/features.hpp"
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
/// low such that E[θ] = the mean degree left after step 1. √(2E) is where two hubs would expect
/// more than the one edge that a simple graph lets them have.
///
/// Edges, a union of cliques on nodes drawn with P(i) ∝ θ_i, so that E[degree_i] ≈ 2 + θ_i:
/// 1. a random recursive tree over the m nodes in random order (each joins a uniformly drawn
///    earlier node), which makes the graph connected by construction; it adds 1 + about Exp(1) to
///    a degree, too light a tail to disturb the power law;
/// 2. cliques of neighbours: cliques of s nodes that hold a share c of the edges, with c (up to
/// 0.9)
///    and then s as large as the clustering asked for needs;
/// 3. single edges, i.e. cliques of 2, for the rest.
/// A share homophily of the cliques of each size (and of the tree's edges, on average) stays
/// within one community, the others ignore communities: a degree-corrected planted partition
/// (Karrer and Newman 2011) whose expected assortativity (Newman 2003) equals homophily, plus
/// the cliques that a block model lacks: its clustering vanishes as 1/nodes, that of social
/// networks does not.
/// 4. repeated edges and self loops are dropped, and single edges within and across communities
///    top the graph up to E edges and to the asked share within.
///
/// Topics. Community profiles q_g ~ Dirichlet(0.2), r_i ~ Dirichlet(5 (0.85 q_{g_i} + 0.15 / K)):
/// nodes of a community are alike, not equal. With the defaults the topics of neighbours correlate
/// at 0.07 (topic_homophily), as those of a 50-topic model of BlogCatalog do.
///
/// Words. Topic k orders the vocabulary at random, favouring words of low index (Plackett–Luce,
/// weights ∝ 1 / (1 + index)), and uses the word of rank a with probability ∝ a^−zipf_exponent.
/// A node draws topic, then word, until it has as many different words as its log-normal draw
/// around words_per_node says; the matrix holds the counts.
///
/// Exact: connectedness, isolated nodes, no self loops or repeats, and the number of edges unless
/// the top-up runs out of free pairs. Within 2 %: homophily. Within 10 % (20 % for mean degrees
/// under 10): clustering, over that of the same options with clustering 0.
/// Approximate: the tail exponent; degrees of 3 means and more show it, until the cut-off.
///
/// A function of the seed and the options. O(edges + nodes · topics + words drawn); the peak is
/// about the result plus 8 bytes per edge plus 6 bytes per word kept.
SyntheticNetwork generate_network(const Context& context, const NetworkOptions& options);

}  // namespace cone
