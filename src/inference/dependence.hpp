#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "exec/statistics.hpp"
#include "inference/clusters.hpp"
#include "inference/neighbourhood.hpp"

// The variance of means over dependent nodes. Contributions (`parts`) are tables of nodes ×
// columns, one column per value, with value − truth ≈ mean of the column. Everything is O(edges ·
// columns).

namespace cone {

/// Under one dependence structure, for several values at once.
struct DependentCovariance {
  Dependence dependence = Dependence::kIndependent;
  Matrix<double> covariance;  ///< of the values
  /// Relative standard error of each variance, for independent normal contributions.
  std::vector<double> noise;
  double degrees_of_freedom = std::numeric_limits<double>::infinity();  ///< by few clusters
  std::string unusable;  ///< why it is not used; empty where it may be

  bool is_usable() const { return unusable.empty(); }
};

/// Share of the noise that connected nodes have in common, by the method of moments on standardised
/// residuals: for a kernel K with unit diagonal, Cov(r) = σ²((1 − share)·I + share·K).
struct SharedNoise {
  double pairs = 0;              ///< K_ij = 1/√(d_i·d_j) for neighbours
  double common_neighbours = 0;  ///< K = B·B', see below
  double pairs_error = 0;        ///< standard errors under independence
  double common_neighbours_error = 0;
};

/// Kernels over a network.
class DependenceKernels {
 public:
  /// `clusters`: of every node, given by the user or found in the network; empty: none.
  DependenceKernels(const Context& context, const Graph& graph, Clustering clusters);
  /// Of a network whose nodes are distributed over the ranks of `comm`; tables have a row per own
  /// node. Collective.
  DependenceKernels(const Context& context, std::shared_ptr<const Neighbourhood> network,
                    Clustering clusters, const Communicator& comm);

  /// B'·x, for x of nodes × columns, with B_ij = 1{j = i or a neighbour of i} / √(1 + d_i): sums
  /// over the closed neighbourhoods that contain a node. B·B' has unit diagonal.
  Matrix<double> gather_common_neighbours(const Context& context, MatrixView<const double> x) const;
  /// N·x with N = D^(−1/2)·A·D^(−1/2), D the degrees: the symmetrically normalised adjacency
  /// matrix.
  Matrix<double> multiply_normalised_adjacency(const Context& context,
                                               MatrixView<const double> x) const;

  /// Independent nodes, neighbours, common_neighbours and clusters, from centred columns.
  std::vector<DependentCovariance> covariances(const Context& context,
                                               MatrixView<const double> parts) const;
  /// Cluster-robust (Liang and Zeger 1986, Longitudinal data analysis using generalized linear
  /// models). `grouped`: the columns whose products count for two members of a cluster, where they
  /// are not those of `parts` (ErrorParts::grouped); a node's own squares are always those of
  /// `parts`.
  DependentCovariance cluster_covariance(MatrixView<const double> parts,
                                         MatrixView<const double> grouped) const;

  /// From residuals divided by their standard deviations.
  SharedNoise measure_shared_noise(const Context& context, std::span<const double> residual) const;

  /// The variance with noise that neighbours share, values × values: that of independent nodes plus
  /// the larger of the contributions by `pairs` and by `common_neighbours` (sum over all values).
  /// `scaled`: coefficient times standard deviation, nodes × values.
  DependentCovariance shared_covariance(const Context& context, const SharedNoise& noise,
                                        MatrixView<const double> scaled,
                                        const Matrix<double>& independent) const;

  const Clustering& clusters() const { return clusters_; }
  bool has_edges() const { return network_->num_edge_ends() > 0; }
  const Communicator& comm() const { return comm_; }
  const Neighbourhood& network() const { return *network_; }
  double num_nodes() const { return static_cast<double>(network_->num_nodes()); }

 private:
  /// Σ_ij (x_i K_ij x_j)² over i ≠ j, K = B·B'. O(Σ d²).
  double count_squared_common_neighbours(std::span<const double> x) const;
  /// The same, by random signs where that is cheaper.
  double squared_common_neighbours(const Context& context, std::span<const double> x) const;

  /// X'·Y over all rows of all ranks.
  Matrix<double> multiply_columns(MatrixView<const double> x, MatrixView<const double> y) const;
  /// (out_i) = own·x_i + Σ_{j neighbour of i} x_j, rows scaled before and after.
  Matrix<double> sum_rows(const Context& context, MatrixView<const double> x, double own,
                          std::span<const double> before, std::span<const double> after) const;

  std::shared_ptr<const Neighbourhood> network_;
  const Communicator& comm_;
  Clustering clusters_;
  std::vector<double> common_neighbour_scale_;  ///< 1/√(1 + d)
  std::vector<double> neighbour_scale_;         ///< 1/√d, 0 without neighbours
  double common_neighbour_total_ = 0;           ///< 1'BB'1 / n²
  double squared_pairs_ = 0;                    ///< Σ N_ij²
  double squared_common_neighbours_ = 0;        ///< Σ_{i≠j} (BB')_ij²
};

/// Of the network of the data and its clusters, which are searched where none were given
/// (cluster_nodes). The data must outlive it. Collective.
DependenceKernels find_dependence(const Context& context, const Dataset& data,
                                  const NodeCommunities* found = nullptr);

}  // namespace cone
