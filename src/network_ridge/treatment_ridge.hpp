#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "data/node_communities.hpp"

namespace cone {

/// predict_treatment() with known communities of the network; nullptr: they are searched.
Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network,
                                 std::shared_ptr<const NodeCommunities> communities);

/// Propensities by that model with the network, one per scored node and arm, within bounds. Throws
/// Error(kData) where the fitting nodes of a task lack an arm.
class NetworkTreatmentLearner : public Learner {
 public:
  NetworkTreatmentLearner(NetworkRidgeOptions options, AutoNumber propensity_bound,
                          std::shared_ptr<const NodeCommunities> communities = nullptr)
      : options_(std::move(options)),
        propensity_bound_(propensity_bound),
        communities_(std::move(communities)) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NetworkRidgeOptions options_;
  AutoNumber propensity_bound_;
  std::shared_ptr<const NodeCommunities> communities_;
};

/// The options of the ridge for treatments: those for outcomes, but without undersmoothing and with
/// variances learnt on a small sample.
struct TreatmentFit {
  NetworkRidgeOptions options;
  std::size_t most_nodes = 0;  ///< to learn variances on
};
TreatmentFit plan_treatment_fit(NetworkRidgeOptions options, std::uint64_t num_nodes,
                                std::size_t num_arms);

/// Propensities, nodes × arms, from one-versus-rest scores: score(a) are the scores of 1{T = a},
/// one per node. For two arms only score(1) is used, and the other propensity is its complement;
/// with more arms the probabilities are normalised to sum to 1. `treatment`: the logged arms.
Matrix<double> combine_scores(std::span<const Arm> treatment, std::size_t num_arms,
                              const std::function<std::vector<double>(Arm)>& score,
                              const Communicator& comm = Communicator::self());

/// Platt scaling (Platt 1999, "Probabilistic outputs for support vector machines and comparisons to
/// regularized likelihood methods"): logistic regression of a binary label on a score, with a slope
/// that is not negative. Constant scores give the share of the label. With several ranks, each
/// passes its own scores, and the regression is over all of them.
std::vector<double> calibrate(std::span<const double> score, std::span<const char> label,
                              const Communicator& comm = Communicator::self());

}  // namespace cone
