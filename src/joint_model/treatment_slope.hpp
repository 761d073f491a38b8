#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_kernels.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Nodes that the variances of a treatment model are learnt on: all, or a random sample that does
/// not depend on the order of the nodes. One rank, the root, has their kernels. Collective.
class TreatmentSample {
 public:
  /// `outcomes`: the equations of the outcomes, of whose groups the kernels are.
  TreatmentSample(const Context& context, const Dataset& data, const RidgeSystem& outcomes);

  /// Rows of a table of all positions, on the root: one per node of the sample.
  Matrix<double> gather(const Matrix<double>& table) const;
  const ArmKernels& kernels() const { return kernels_; }
  /// The threads of the root.
  const Context& alone() const { return alone_; }

 private:
  const Communicator& comm_;
  Context alone_;
  std::vector<std::uint32_t> own_;  ///< positions of this rank
  std::vector<std::size_t> row_;    ///< on the root: of every gathered position
  ArmKernels kernels_;
};

/// The treatment model of one arm against the others. `received`: whether a position's logged arm
/// is this one. `predicted`: the arm's outcome, predicted without that of the position. `parts`:
/// the contributions of some groups to it, positions × parts; `network`: that of all groups of the
/// network, nullptr where there is none.
struct TreatmentData {
  std::shared_ptr<const RidgeInputs> inputs;
  std::span<const RidgeGroup> groups;
  const TreatmentSample& sample;
  std::span<const double> received;
  std::span<const double> predicted;
  const Matrix<double>& parts;
  const std::vector<double>* network;
  std::span<const std::uint32_t> cluster;  ///< by position
  std::size_t num_clusters = 0;            ///< over all ranks; 0: none are given
};

/// logit P(S = 1) = b'γ + θ·f + h: f the predicted outcome, h a network ridge of other reasons for
/// treatment, with all its groups.
struct TreatmentSlope {
  double slope = 0;           ///< θ
  double standard_error = 0;  ///< cluster-robust where that is larger
  RidgeSystem other_reasons;  ///< of h: one arm, in units of the log odds
  std::vector<double> index;  ///< the log odds at every position
  Matrix<double> fixed;       ///< b, positions × linearly independent fixed effects
  /// The p value of Cochran's Q that the slopes of all parts are equal (Cochran 1954, "The
  /// combination of estimates from different experiments"), with their full covariance; 1 where
  /// there are fewer than two.
  double equal_slopes_p = 1;
  /// The slope of the network's contribution, beside that of the rest, over its standard error; 0
  /// where there is none.
  double network_statistic = 0;
  bool converged = true;
};

/// By penalised quasi-likelihood (Breslow and Clayton 1993, "Approximate inference in generalized
/// linear mixed models"). Collective.
TreatmentSlope fit_treatment_slope(const Context& context, const TreatmentData& data);

/// Working outcomes of a logistic regression at its log odds (iteratively reweighted least
/// squares).
struct WorkingOutcome {
  std::vector<double> noise;    ///< 1/W, W = e(1 − e)
  std::vector<double> outcome;  ///< η + (S − e)/W

  WorkingOutcome(std::span<const double> index, std::span<const double> received);
};

/// About the diagonal of an arm's kernel: the mean of every group, in proportion to the degree for
/// sums over neighbours.
std::vector<double> approximate_diagonal(const RidgeSystem& system, std::size_t arm);

}  // namespace cone
