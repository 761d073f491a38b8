#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// 2 · edges / nodes; NaN without nodes.
double mean_degree(const Graph& graph);
std::size_t max_degree(const Graph& graph);

/// Exponent a of P(degree = d) ∝ d^−a for d ≥ min_degree, by maximum likelihood with the
/// half-step correction for integers (Clauset, Shalizi and Newman 2009, Power-Law Distributions in
/// Empirical Data, eq. 3.7):
/// 1 + m / Σ log(d_i / (min_degree − ½)) over the m degrees ≥ min_degree ≥ 1. NaN where there are
/// none. Ignores a cut-off: a bounded tail gives a larger exponent.
double degree_tail_exponent(const Graph& graph, std::size_t min_degree);

/// Average local clustering coefficient (Watts and Strogatz 1998, Collective Dynamics of
/// 'Small-World' Networks): the mean over all nodes of the fraction of pairs of neighbours that are
/// connected; a node of degree 0 or 1 counts as 0. Exact up to `max_exact_nodes` nodes, in Σ_edges
/// (d_i + d_j) steps; beyond, the mean over 1,000,000 draws of a node and two of its neighbours
/// (standard error under 0.0005), a function of the context's seed. NaN without nodes.
double average_clustering(const Context& context, const Graph& graph,
                          std::size_t max_exact_nodes = 20'000);

/// Assortativity of a label (Newman 2003, Mixing Patterns in Networks): (s − c) / (1 − c), with s
/// the fraction of edges within a label and c = Σ_labels (fraction of edge ends)², the expectation
/// of s under random wiring with these degrees. 0 for random wiring, 1 when all edges are within;
/// NaN without edges or with one label only.
double label_assortativity(const Graph& graph, std::span<const std::uint32_t> labels);

/// Correlation of topics r across the two ends of an edge, over all K topics at once:
/// Σ_edges 2 (r_i − μ)·(r_j − μ) / Σ_i d_i |r_i − μ|², with μ = Σ_i d_i r_i / Σ_i d_i the mean of
/// the ends of edges, so that the reference is a random pair of nodes with these degrees. 0 for
/// random wiring, 1 when neighbours are equal; NaN without edges or where topics do not vary.
/// O(edges · K).
double topic_homophily(const Context& context, const Graph& graph, MatrixView<const double> topics);

/// Nodes of the largest connected component. O(nodes + edges).
std::size_t largest_component_size(const Graph& graph);

}  // namespace cone
