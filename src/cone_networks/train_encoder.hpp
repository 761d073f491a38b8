#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_input.hpp"
#include "cone_networks/encoder_stepper.hpp"
#include "nn/outcome_units.hpp"
#include "nn/parameter_store.hpp"
#include "nn/train.hpp"

namespace cone {

/// The weights of an encoder, and the standardisation of the outcomes that its outcome head learnt.
struct EncoderWeights {
  OutcomeUnits outcome_units;
  nn::ParameterStore<float> parameters;  ///< without gradients
};

struct TrainedEncoder {
  EncoderWeights weights;
  Matrix<float> z;  ///< [z^y ; z^t] of every node
  TrainingStatus status = TrainingStatus::kCompleted;
  std::vector<EpochLosses> history;  ///< entry e: the weights after e steps of Adam
  std::size_t best_epoch = 0;        ///< the entry of `history` whose weights were kept
};

/// Learns CONE's partial representations by full-batch Adam: each epoch is one step of all
/// parameters, the critic's included, on the same objective (encoder.hpp) with a fresh permutation.
///
/// Message passing uses the features and edges of all nodes; treatments and outcomes are read from
/// the training nodes (losses; outcomes are standardised with their mean and standard deviation)
/// and the validation nodes (early stopping on L^y + γ L^t, best weights restored) only. Without
/// validation nodes every epoch runs and the last weights are kept.
///
/// A function of the seed, the inputs and the ids of the nodes, independent of their order (up to
/// rounding) and of the number of threads. O((entries + edges + nodes)·columns of z) per epoch;
/// memory of about a dozen nodes × columns matrices in single precision.
///
/// The options must be valid, the data must have treatments and outcomes, and the lists of nodes
/// must be disjoint without repeats. Throws Cancelled when the observer asks to stop.
TrainedEncoder train_encoder(const Context& context, const ConeInput& input,
                             const ConeOptions& options, std::span<const NodeIndex> train,
                             std::span<const NodeIndex> validation);

/// The logged treatments and outcomes of the nodes in canonical order, outcomes in the given units.
LoggedNodes<float> logged_nodes(const ConeInput& input, std::span<const NodeIndex> nodes,
                                const OutcomeUnits& units);

/// [z^y ; z^t] of every node by weights that were trained with these options.
Matrix<float> encode_with(const Context& context, const ConeInput& input,
                          const ConeOptions& options, const EncoderWeights& weights);

/// The attention of one node to another in the first layer, one weight per head.
struct AttentionPair {
  NodeIndex node;
  NodeIndex attended;
  std::span<const float> treatment_heads;
  std::span<const float> outcome_heads;
};

/// Visits every pair, by node and then by attended node; none where the encoder has no attention.
/// For exports: encodes the nodes again.
void for_each_attention(const Context& context, const ConeInput& input, const ConeOptions& options,
                        const EncoderWeights& weights,
                        const std::function<void(const AttentionPair&)>& visit);

}  // namespace cone
