#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"

#include "cone_networks/cone_input.hpp"
#include "cone_networks/train_encoder.hpp"
#include "cone_networks/z_rows.hpp"
#include "linear/logistic.hpp"
#include "nuisance/arm_network.hpp"

namespace cone {

/// One fold's networks: everything needed to predict its held-out nodes.
struct ConeFold {
  EncoderWeights encoder;
  ColumnUnits z_units;
  std::vector<ArmNetwork> outcomes;  ///< one per arm, of the standardised z
  LogisticFit propensity;            ///< of the standardised z
  FoldTraining training;
};

/// CONE fitted to a dataset: one set of networks per task of the plan.
struct ConeFit {
  PlanOptions plan;
  ConeOptions options;
  std::uint64_t seed = 0;
  std::string data_checksum;  ///< Dataset::checksum() of what it was fitted to
  std::size_t num_features = 0;
  std::vector<std::string> arms;  ///< labels, the control arm first
  std::vector<ConeFold> folds;
  /// One row per scored node of the plan: [z^y ; z^t] by the fold that scores it. Empty where the
  /// fit comes from a file.
  Matrix<float> z;

  DataShape shape() const { return {.num_features = num_features, .num_arms = arms.size()}; }
};

/// Fits the partial representations, the arms' outcome networks and the propensity model of every
/// task of the plan that the options and the context's seed make.
///
/// Within a task the encoder and the arms' networks learn from the first selection split's fitting
/// nodes and stop early on its held-out nodes. The propensity model is fitted on the held-out nodes
/// alone: z^t was trained to separate the training nodes, so a model fitted there would be badly
/// over-confident on any others. Its penalty is chosen by inner folds of the held-out nodes.
///
/// The nodes that a task scores lend it their features and edges, never treatment or outcome.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data has no log or a task no member
/// of an arm to learn from, Cancelled when the observer asks to stop.
ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan,
                 const ConeOptions& options);

/// The same for the plan of these options, where it is there already.
ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan_options,
                 const FitPlan& plan, const ConeOptions& options);

/// The same for a plan of any options; `selection_folds` as in them.
struct FittedFolds {
  std::vector<ConeFold> folds;
  Matrix<float> z;  ///< as in ConeFit
};
FittedFolds fit_cone_folds(const Context& context, const Dataset& data, const FitPlan& plan,
                           const ConeOptions& options, int selection_folds);

/// What the folds say of the nodes that the plan scores, from their representations `z` (as in
/// ConeFit): outcomes (bounded; without implied weights, as networks are not linear), propensities
/// and how the trainings went.
Nuisances predict_cone(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::span<const ConeFold> folds, const Matrix<float>& z,
                       AutoNumber propensity_bound);

/// Computes the data's checksum. Throws Error(kData) unless the data is that of the fit.
void require_data_of(const ConeFit& fit, const Dataset& data);

/// The plan of the fit. Draws the folds, after require_data_of.
FitPlan redraw_plan_checked(const Context& context, const Dataset& data, const ConeFit& fit);

/// ConeFit::z of a fit that comes from a file: every fold encodes the nodes that it scores.
Matrix<float> encode_scored_nodes(const Context& context, const Dataset& data, const FitPlan& plan,
                                  const ConeFit& fit);

}  // namespace cone
