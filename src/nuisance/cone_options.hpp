#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "options/options.hpp"

namespace cone {

/// How a node's representation takes its neighbours in (nn/aggregation_layer.hpp). A new one is a
/// layer in src/nn, its name here, and a row in make_aggregation (cone_networks/tower_encoder.cpp).
enum class EncoderKind {
  kAttention,  ///< weights that are learnt, one per head and pair of neighbours
  kMean,       ///< the mean of node and neighbours
};

template <>
struct EnumNames<EncoderKind> {
  static constexpr std::array kNames = {
      std::pair{EncoderKind::kAttention, std::string_view("attention")},
      std::pair{EncoderKind::kMean, std::string_view("mean")}};
};

/// The learner of CONE's partial representations. One set of options serves both towers.
struct ConeOptions {
  EncoderKind encoder = EncoderKind::kAttention;
  std::uint32_t heads = 4;
  std::uint32_t head_size = 16;
  std::uint32_t layers = 1;
  std::uint32_t hidden = 64;
  bool self_loops = true;
  double gamma = 1;
  double zeta = 0.01;
  double learning_rate = 0.005;
  double weight_decay = 0;
  double clip_gradient = 0;
  double dropout = 0;
  std::uint32_t epochs = 200;
  std::uint32_t patience = 30;

  // The upper bounds of the sizes are generous; they keep the size of a model file's tensors within
  // 64 bits whatever it claims.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(
        "encoder", self.encoder,
        "How a tower (encoder) takes neighbours in: with weights that are learnt, or their mean");
    visitor("heads", self.heads, "Attention heads of each tower", between(1, 256));
    visitor("head_size", self.head_size,
            "Output dimensions per head; a tower of the mean encoder has heads x head_size",
            between(1, 1024));
    visitor("layers", self.layers, "Graph layers of each tower", between(1, 8));
    visitor("hidden", self.hidden,
            "Hidden units of every small network: outcome head, critic, one network per arm",
            between(1, 4096));
    visitor("self_loops", self.self_loops, "Let a node take itself in as well as its neighbours");
    visitor("gamma", self.gamma, "Weight of the treatment loss; the outcome loss has weight 1",
            at_least(0));
    visitor("zeta", self.zeta,
            "Weight of the mutual information of the two representations, which is maximised",
            at_least(0));
    visitor("learning_rate", self.learning_rate, "Learning rate of Adam", more_than(0));
    visitor("weight_decay", self.weight_decay,
            "Weight decay, decoupled as in AdamW; biases do not decay", at_least(0));
    visitor("clip_gradient", self.clip_gradient, "Clip the gradient norm to this (0 = off)",
            at_least(0));
    visitor("dropout", self.dropout, "Share of each graph layer's inputs to drop in training",
            between(0, 0.95));
    visitor("epochs", self.epochs, "Most epochs of training, one step of Adam each", at_least(1));
    visitor("patience", self.patience,
            "Stop after this many epochs without a better validation loss", at_least(1));
  }
};

}  // namespace cone
