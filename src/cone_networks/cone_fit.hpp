#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cone_networks/representation.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "linear/logistic.hpp"
#include "nuisance/arm_network.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/nuisance_options.hpp"
#include "nuisance/nuisances.hpp"

namespace cone {

/// Mean and standard deviation of the columns of z = [z^y ; z^t] on the training nodes; a constant
/// column has the scale 1.
struct ColumnUnits {
  std::vector<float> mean;
  std::vector<float> scale;
};

/// All that predicts the nodes which one task of a plan scores (method.md, section 3).
struct ConeFold {
  TrainedModel encoder;
  ColumnUnits z_units;
  ArmNetwork control;      ///< untreated outcomes, of the standardised z
  ArmNetwork treated;      ///< treated outcomes
  LogisticFit propensity;  ///< of the standardised z
  FoldTraining training;
};

/// CONE fitted to a dataset: one set of networks per task of the plan.
struct ConeFit {
  PlanOptions plan;
  std::uint64_t seed = 0;
  std::string data_checksum;  ///< Dataset::checksum() of what it was fitted to
  std::vector<ConeFold> folds;
};

/// Fits the partial representations, the two arms' outcome networks and the propensity model of
/// every task of the plan that the options and the context's seed make.
///
/// Within a task the encoder and the arms' networks learn from the first selection split's fitting
/// nodes and stop early on its held-out nodes. The propensity model is fitted on the held-out nodes
/// alone: z^t was trained to separate the training nodes, so a model fitted there would be badly
/// over-confident on any others. Its penalty is chosen by inner folds of the held-out nodes. Where
/// those have fewer than two members of an arm, it is their share of treated nodes.
///
/// The nodes that a task scores lend it their features and edges, never treatment or outcome.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data has no log or a task no member
/// of an arm to learn from, Cancelled when the observer asks to stop.
ConeFit fit_cone(const Context& context, const Dataset& data, const PlanOptions& plan,
                 const ConeOptions& options);

/// The part of fit_cone that belongs to one task of the plan; `selection_folds` as in the plan's
/// options. Throws as fit_cone does.
ConeFold fit_cone_fold(const Context& context, const Dataset& data, const FitTask& task,
                       const ConeOptions& options, int selection_folds);

/// What a fit says of the nodes that its plan scores: outcomes (bounded; without implied weights,
/// as networks are not linear), propensities and how the trainings went. Throws Error(kData) where
/// the data is not that of the fit.
Nuisances predict_cone(const Context& context, const Dataset& data, const ConeFit& fit,
                       double propensity_bound);

/// One row per node: [z^y ; z^t] of the task that scores the node; zeros for nodes that none does.
/// Throws as predict_cone does.
Matrix<float> representations(const Context& context, const Dataset& data, const ConeFit& fit);

}  // namespace cone
