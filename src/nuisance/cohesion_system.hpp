#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

#include "linear/centred_matrix.hpp"

namespace cone {

/// Added to the Laplacian, so that the effects of a component without outcomes are determined.
inline constexpr double kCohesionDiagonal = 0.01;

/// Penalties of a regression with network cohesion; infinity leaves the coefficients out.
struct CohesionPenalties {
  double ridge = 0;     ///< ρ, of the slopes
  double cohesion = 0;  ///< λ, of the node effects
};

/// An intercept b, slopes β of the centred features and effects α of all nodes.
struct CohesionCoefficients {
  double intercept = 0;
  std::vector<double> slopes;
  std::vector<double> effects;  ///< 0 for isolated nodes
};

/// The equations of a regression with network cohesion on some nodes S (Li, Levina and Zhu 2019,
/// Prediction models for network-linked data):
///     min over b, β, α of   Σ_{i∈S} (y_i − b − (x_i − x̄)'β − α_i)² + ρ|β|² + λ α'(L + γI)α,
/// L the Laplacian of the whole network and γ = kCohesionDiagonal. Effects of nodes outside S are
/// those that the penalty alone implies, as in the paper. Departures: an intercept without penalty,
/// so that the outcome's origin has no effect; a ridge penalty of the slopes, as features may
/// outnumber the nodes; and no effect for isolated nodes, whose outcomes γ would hardly penalise.
///
/// By conjugate gradients with the diagonal as preconditioner, on the calling thread.
/// O(entries + edges) per iteration.
class CohesionSystem {
 public:
  /// On these rows of x, one row per node of the graph. References must outlive it.
  CohesionSystem(const Context& context, const FeatureMatrix& x, const Graph& graph,
                 std::span<const NodeIndex> nodes);

  const CentredMatrix& features() const { return x_; }
  /// Sets of coefficients of zeros.
  CohesionCoefficients zeros() const;

  /// The minimiser for outcomes of the nodes. Starts at `coefficients`; returns whether it
  /// converged.
  bool fit(std::span<const double> outcomes, const CohesionPenalties& penalties, double tolerance,
           CohesionCoefficients& coefficients) const;
  /// v with Σ_j v_j y_j = total.intercept·b + total.slopes'β + total.effects'α for the minimiser of
  /// any outcomes y.
  std::vector<double> weights(const CohesionCoefficients& total, const CohesionPenalties& penalties,
                              double tolerance, bool& converged) const;

 private:
  /// b + X_c β + α at the nodes.
  void predict(const CohesionCoefficients& c, const CohesionPenalties& penalties,
               std::span<double> out) const;
  /// The sums of (1, x − x̄, node) over the nodes, each times a value.
  CohesionCoefficients total_over_nodes(std::span<const double> values,
                                        const CohesionPenalties& penalties) const;
  /// The matrix of the equations times c.
  CohesionCoefficients multiply(const CohesionCoefficients& c,
                                const CohesionPenalties& penalties) const;
  CohesionCoefficients diagonal(const CohesionPenalties& penalties) const;
  bool solve(const CohesionCoefficients& right_hand_side, const CohesionPenalties& penalties,
             double tolerance, CohesionCoefficients& c) const;

  Context context_;
  const Graph& graph_;
  std::vector<NodeIndex> nodes_;
  CentredMatrix x_;
};

}  // namespace cone
