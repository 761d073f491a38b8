#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_input.hpp"
#include "cone_networks/train_encoder.hpp"
#include "cone_networks/z_rows.hpp"
#include "linear/logistic.hpp"
#include "nuisance/arm_network.hpp"

namespace cone {

/// The networks of one fold: everything needed to predict its scored nodes.
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
  /// fit was read from a file.
  Matrix<float> z;

  DataShape shape() const { return {.num_features = num_features, .num_arms = arms.size()}; }
};

/// CONE (Guo, Li and Liu 2020, "Counterfactual evaluation of treatment assignment functions with
/// networked observational data"): fits the partial representations, the arms' outcome networks and
/// the propensity model of every task of the plan that the options and the context's seed make.
///
/// Within a task the encoder and the arms' networks learn from the first selection split's fitting
/// nodes and stop early on its held-out nodes. A departure from the paper: the propensity model is
/// fitted on the held-out nodes only, since z^t was trained to separate the arms of the training
/// nodes, and a model fitted there would be badly over-confident on any others. Its penalty is
/// chosen by inner folds of the held-out nodes.
///
/// A task uses the features and edges of the nodes that it scores, never their treatments or
/// outcomes.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data has no treatments and outcomes
/// or a task has no node of some arm to learn from, Cancelled when the observer asks to stop.
ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan,
                 const ConeOptions& options);

/// The same with the plan of these options, already drawn.
ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan_options,
                 const FitPlan& plan, const ConeOptions& options);

/// The same for a plan of any options; `selection_folds` as in them.
struct FittedFolds {
  std::vector<ConeFold> folds;
  Matrix<float> z;  ///< as in ConeFit
};
FittedFolds fit_cone_folds(const Context& context, const Dataset& data, const FitPlan& plan,
                           const ConeOptions& options, int selection_folds);

/// Nuisances of the nodes that the plan scores from their representations `z` (as in ConeFit):
/// predicted outcomes (bounded; without implied weights, as networks are not linear), propensities
/// and training diagnostics.
Nuisances predict_cone(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::span<const ConeFold> folds, const Matrix<float>& z,
                       AutoNumber propensity_bound);

/// Computes the data's checksum. Throws Error(kData) unless the fit is to this data.
void require_data_of(const ConeFit& fit, const Dataset& data);

/// The plan of the fit. Draws the folds, after require_data_of.
FitPlan redraw_plan_checked(const Context& context, const Dataset& data, const ConeFit& fit);

/// ConeFit::z of a fit read from a file: every fold encodes the nodes that it scores.
Matrix<float> encode_scored_nodes(const Context& context, const Dataset& data, const FitPlan& plan,
                                  const ConeFit& fit);

}  // namespace cone
