#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

namespace cone {

/// The joint model of treatment and outcome, which extrapolates selection on the predictable part
/// of the outcome to the part that is known only with error (docs/joint_model.md). All tables are
/// nodes × arms, in the unit of the outcome.
struct JointModel {
  /// Predicted outcomes under one assumption about noise that grows with the degree.
  struct Variant {
    /// Joint prediction (the logged outcome where the arm was received) − that of the network
    /// ridge.
    Matrix<double> change;
    /// Its part that is proportional to the slope; 0 where the arm was received.
    Matrix<double> extrapolated;
  };
  const Communicator* comm = &Communicator::self();  ///< over which the nodes are distributed
  std::vector<JointArm> arms;
  Variant without_noise;       ///< treatment does not depend on the noise
  Variant with_noise;          ///< it depends on a share of the noise that grows with the degree
  Matrix<double> noise_range;  ///< what all of that noise would change

  /// Values of a policy (rows times survey weights) under both assumptions, for the hull of
  /// intervals. Collective, as all that follows.
  std::vector<AlternativeValue> revalue(MatrixView<const double> policy) const;
  /// The value of the row network_joint: without noise, and without the arms whose slopes differ
  /// between the parts of the prediction.
  AlternativeValue revalue_cautiously(MatrixView<const double> policy) const;
};

/// `outcome`: cross-fitted predictions of all nodes by the network ridge with these options.
JointModel fit_joint_model(const Context& context, const Dataset& data, const FitPlan& plan,
                           const NetworkRidgeOptions& options, const OutcomeTable& outcome);

}  // namespace cone
