#include "cone_networks/train_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "nuisance/network_schedule.hpp"

namespace cone {
namespace {

/// Losses beyond this multiple of those of constant predictions count as divergence.
constexpr double kDivergedFactor = 1000;

void require_node_lists(const Dataset& data, std::span<const NodeIndex> train,
                        std::span<const NodeIndex> validation) {
  require(data.has_log(), "encoder: the data has no treatments and outcomes");
  require(!train.empty(), "encoder: there are no training nodes");
  std::vector<bool> seen(data.num_nodes());
  for (const std::span<const NodeIndex> list : {train, validation}) {
    for (const NodeIndex i : list) {
      require(i < data.num_nodes(), "encoder: a node is out of range");
      require(!seen[i], "encoder: a node is listed twice");
      seen[i] = true;
    }
  }
}

/// [z^t | z^y] with the towers in the other order.
Matrix<float> outcome_tower_first(const Matrix<float>& z) {
  const auto width = static_cast<std::ptrdiff_t>(z.cols() / TowerEncoder<float>::kTowers);
  Matrix<float> combined(z.rows(), z.cols());
  for (std::size_t i = 0; i < z.rows(); ++i) {
    std::rotate_copy(z.row(i).begin(), z.row(i).begin() + width, z.row(i).end(),
                     combined.row(i).begin());
  }
  return combined;
}

/// Scores epochs by their losses, and records these.
class EncoderTraining : public nn::EpochStepper {
 public:
  EncoderTraining(EncoderStepper& stepper, double gamma, std::size_t num_arms, bool has_validation)
      : stepper_(stepper),
        gamma_(gamma),
        // The loss of predicting the mean outcome and equal shares of the arms.
        loss_of_means_(1 + gamma * std::log(static_cast<double>(num_arms))),
        has_validation_(has_validation) {}

  bool has_held_out() const override { return has_validation_; }
  nn::EpochScore measure(std::uint64_t epoch) override {
    history_.push_back(stepper_.measure(epoch));
    const EpochLosses& losses = history_.back();
    return {.loss = losses.validation_outcome + gamma_ * losses.validation_treatment,
            .diverged = is_diverged(losses)};
  }
  void step() override { stepper_.step(); }
  void keep_weights() override { stepper_.keep_weights(); }
  void restore_weights() override { stepper_.restore_weights(); }

  std::vector<EpochLosses> take_history() { return std::move(history_); }

 private:
  bool is_diverged(const EpochLosses& losses) const {
    const double trained = losses.outcome + gamma_ * losses.treatment;
    const double held_out = losses.validation_outcome + gamma_ * losses.validation_treatment;
    return !std::isfinite(losses.mutual_information) ||
           !(trained <= kDivergedFactor * loss_of_means_) ||
           (has_validation_ && !std::isfinite(held_out));
  }

  EncoderStepper& stepper_;
  double gamma_;
  double loss_of_means_;
  bool has_validation_;
  std::vector<EpochLosses> history_;
};

Encoder<float> encoder_of(const DataShape& shape, const ConeOptions& options,
                          const EncoderWeights& weights) {
  Encoder<float> encoder(shape, options);
  const std::span<const float> values = weights.parameters.values();
  require(values.size() == encoder.parameters().size(),
          "encoder: the weights are not of this model");
  std::copy(values.begin(), values.end(), encoder.parameters().values().begin());
  return encoder;
}

}  // namespace

LoggedNodes<float> logged_nodes(const ConeInput& input, std::span<const NodeIndex> nodes,
                                const OutcomeUnits& units) {
  // By the hash of the id, so that the pairs of a permutation do not depend on the order in which
  // the nodes are stored.
  std::vector<std::pair<std::uint64_t, NodeIndex>> keyed;
  keyed.reserve(nodes.size());
  for (const NodeIndex i : nodes) keyed.emplace_back(input.id_hashes()[i], i);
  std::sort(keyed.begin(), keyed.end());
  LoggedNodes<float> logged;
  const Dataset& data = input.data();
  for (const auto& [key, i] : keyed) {
    logged.nodes.push_back(i);
    logged.outcome.push_back(static_cast<float>((data.outcome[i] - units.mean) / units.scale));
    logged.treatment.push_back(data.treatment[i]);
  }
  return logged;
}

TrainedEncoder train_encoder(const Context& context, const ConeInput& input,
                             const ConeOptions& options, std::span<const NodeIndex> train,
                             std::span<const NodeIndex> validation) {
  require_node_lists(input.data(), train, validation);
  std::vector<double> outcomes;
  for (const NodeIndex i : train) outcomes.push_back(input.data().outcome[i]);
  const OutcomeUnits units = outcome_units(outcomes);
  const EncoderNodes nodes = {.train = logged_nodes(input, train, units),
                              .validation = logged_nodes(input, validation, units)};
  CpuEncoderStepper stepper(context, input, options, nodes);
  EncoderTraining training(stepper, options.gamma, input.shape().num_arms, !validation.empty());
  const nn::TrainingOutcome outcome =
      nn::train(context, "training representations", training_schedule(options), training);
  return {.weights = {.outcome_units = units, .parameters = stepper.weights()},
          .z = outcome_tower_first(stepper.encode()),
          .status = outcome.status,
          .history = training.take_history(),
          .best_epoch = outcome.best_epoch};
}

Matrix<float> encode_with(const Context& context, const ConeInput& input,
                          const ConeOptions& options, const EncoderWeights& weights) {
  Encoder<float> encoder = encoder_of(input.shape(), options, weights);
  return outcome_tower_first(
      encoder.encode(context, input.data().graph, input.features().whole(), nullptr));
}

void for_each_attention(const Context& context, const ConeInput& input, const ConeOptions& options,
                        const EncoderWeights& weights,
                        const std::function<void(const AttentionPair&)>& visit) {
  Encoder<float> encoder = encoder_of(input.shape(), options, weights);
  const nn::AggregationLayer<float>& layer = encoder.towers().first_layer();
  encoder.encode(context, input.data().graph, input.features().whole(), nullptr);
  const std::size_t heads = layer.num_pair_weights() / TowerEncoder<float>::kTowers;
  layer.for_each_pair(adjacency(input.data().graph),
                      [&](std::size_t i, std::size_t j, std::span<const float> pair_weights) {
                        visit({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j),
                               pair_weights.first(heads), pair_weights.subspan(heads)});
                      });
}

}  // namespace cone
