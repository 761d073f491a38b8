#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nn/parameter_store.hpp"
#include "nuisance/cone_options.hpp"
#include "nuisance/fold_training.hpp"
#include "options/options.hpp"

namespace cone {

/// Losses of one set of weights; outcomes in units of their standard deviation on the training
/// nodes.
struct EpochLosses {
  double outcome = 0;             ///< L^y on the training nodes
  double treatment = 0;           ///< L^t on the training nodes
  double mutual_information = 0;  ///< L^MI: minus the Donsker–Varadhan bound
  double validation_outcome = 0;  ///< L^y on the validation nodes, no dropout; NaN without any
  double validation_treatment = 0;
};

/// Everything that encoding nodes needs, and what it was learnt from.
struct TrainedModel {
  ConeOptions options;
  std::size_t num_features = 0;
  std::string data_checksum;  ///< Dataset::checksum() of the training data
  double outcome_mean = 0;    ///< what the outcome head's unit and zero are
  double outcome_scale = 1;
  nn::ParameterStore<float> parameters;
};

/// z^t and z^y of every node: nodes × heads·head_size each.
struct EncodedNodes {
  Matrix<float> z_treatment;
  Matrix<float> z_outcome;
};

struct Representation {
  EncodedNodes nodes;
  TrainedModel model;
  TrainingStatus status = TrainingStatus::kCompleted;
  std::vector<EpochLosses> history;  ///< entry e: the weights after e steps of Adam
  std::size_t best_epoch = 0;        ///< the entry of `history` whose weights were kept
};

/// Learns CONE's partial representations (method.md, section 2) by Adam on all training nodes at
/// once: each epoch one step of all parameters, the critic's included, on the same objective with a
/// fresh permutation.
///
/// Message passing uses the features and edges of all nodes; treatments and outcomes are read of
/// the training nodes (losses; outcomes are standardised with their mean and standard deviation)
/// and of the validation nodes (early stopping on L^y + γ L^t, best weights restored), and of no
/// others. Without validation nodes every epoch runs and the last weights are kept.
///
/// A function of the seed, the inputs and the ids of the nodes, whatever their order up to rounding
/// and whatever the number of threads. O((entries + edges + nodes)·heads·head_size) an epoch;
/// memory of about a dozen nodes × 2·heads·head_size matrices in single precision.
///
/// The lists of nodes must be without repeats and disjoint. Throws Error(kUsage) on bad options,
/// Error(kData) where the data has no log, and Cancelled when the observer asks to stop.
Representation train_representation(const Context& context, const Dataset& data,
                                    const ConeOptions& options, std::span<const NodeIndex> train,
                                    std::span<const NodeIndex> validation);

/// The representations that a trained model gives the nodes of `data`. Throws Error(kData) where
/// the number of features is not the model's.
EncodedNodes encode_nodes(const Context& context, const Dataset& data, const TrainedModel& model);

/// The attention of one node to another in the first layer, one weight per head.
struct AttentionPair {
  NodeIndex node;
  NodeIndex attended;
  std::span<const float> treatment_heads;
  std::span<const float> outcome_heads;
};

/// Visits every pair, by node and then by attended node. For explanations: encodes the nodes anew.
void for_each_attention(const Context& context, const Dataset& data, const TrainedModel& model,
                        const std::function<void(const AttentionPair&)>& visit);

}  // namespace cone
