#include "cone_networks/representation.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "cone_networks/cone_model.hpp"
#include "cone_networks/training_run.hpp"
#include "nuisance/encoder_input.hpp"

namespace cone {
namespace {

void require_node_lists(const Dataset& data, std::span<const NodeIndex> train,
                        std::span<const NodeIndex> validation) {
  require(!train.empty(), "representation: there must be training nodes");
  std::vector<bool> seen(data.num_nodes());
  for (const std::span<const NodeIndex> list : {train, validation}) {
    for (const NodeIndex i : list) {
      require(i < data.num_nodes(), "representation: a node is out of range");
      require(!seen[i], "representation: a node is listed twice");
      seen[i] = true;
    }
  }
}

/// By the hash of the id: the pairs that a permutation makes then do not depend on the order in
/// which the nodes were stored.
std::vector<NodeIndex> in_canonical_order(const Dataset& data, std::span<const NodeIndex> nodes) {
  std::vector<std::pair<std::uint64_t, NodeIndex>> keyed;
  keyed.reserve(nodes.size());
  for (const NodeIndex i : nodes) keyed.emplace_back(hash64(data.ids[i]), i);
  std::sort(keyed.begin(), keyed.end());
  std::vector<NodeIndex> ordered;
  ordered.reserve(nodes.size());
  for (const auto& [key, i] : keyed) ordered.push_back(i);
  return ordered;
}

EncodedNodes split_towers(const Matrix<float>& z) {
  const std::size_t width = z.cols() / TowerEncoder::kTowers;
  EncodedNodes nodes{Matrix<float>(z.rows(), width), Matrix<float>(z.rows(), width)};
  for (std::size_t i = 0; i < z.rows(); ++i) {
    const auto row = z.row(i);
    std::copy_n(row.begin(), width, nodes.z_treatment.row(i).begin());
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(width), width,
                nodes.z_outcome.row(i).begin());
  }
  return nodes;
}

/// A model with the trained weights that has encoded the nodes.
ConeModel<float> encoded(const Context& context, const Dataset& data, const TrainedModel& model) {
  if (data.features.matrix.cols() != model.num_features) {
    throw Error(
        ErrorCode::kData,
        Fault{.what = fmt::format("the model was trained on {} features and the data has {}",
                                  model.num_features, data.features.matrix.cols()),
              .advice = "use the data that the model was trained on"});
  }
  ConeModel<float> cone(model.num_features, model.options);
  const std::span<const float> weights = model.parameters.values();
  require(weights.size() == cone.parameters().size(), "representation: weights of another model");
  std::copy(weights.begin(), weights.end(), cone.parameters().values().begin());
  const SparseMatrix input = encoder_input(data.features);
  const FeatureOperand<float> features(input, input.values());
  cone.encode(context, data.graph, features, nullptr);
  return cone;
}

}  // namespace

Representation train_representation(const Context& context, const Dataset& data,
                                    const ConeOptions& options, std::span<const NodeIndex> train,
                                    std::span<const NodeIndex> validation) {
  validate(options);
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                Fault{.what = "there are no treatments and outcomes to learn from",
                      .advice = "bring a log or simulate one"});
  }
  require_node_lists(data, train, validation);
  std::vector<double> outcomes;
  for (const NodeIndex i : train) outcomes.push_back(data.outcome[i]);
  const OutcomeUnits units = outcome_units(outcomes);
  TrainingRun run(context, data, options,
                  logged_nodes(data, in_canonical_order(data, train), units),
                  logged_nodes(data, in_canonical_order(data, validation), units));
  run.run();

  Representation result;
  result.nodes = split_towers(run.model().encode(context, data.graph, run.features(), nullptr));
  result.model = {.options = options,
                  .num_features = data.features.matrix.cols(),
                  .data_checksum = data.checksum(),
                  .outcome_mean = units.mean,
                  .outcome_scale = units.scale,
                  .parameters = run.model().parameters()};
  result.model.parameters.drop_gradients();
  result.status = run.status();
  result.history = run.history();
  result.best_epoch = run.best_epoch();
  return result;
}

EncodedNodes encode_nodes(const Context& context, const Dataset& data, const TrainedModel& model) {
  return split_towers(encoded(context, data, model).tower_workspace().z());
}

void for_each_attention(const Context& context, const Dataset& data, const TrainedModel& model,
                        const std::function<void(const AttentionPair&)>& visit) {
  const ConeModel<float> cone = encoded(context, data, model);
  const nn::AttentionWorkspace<float>& layer = cone.tower_workspace().layers.front();
  const std::size_t heads = model.options.heads;
  ops::for_each_attention(adjacency(data.graph), cone.towers().attention_shape(),
                          layer.score_dst.view(), layer.score_src.view(), layer.log_sum_exp.view(),
                          [&](std::size_t i, std::size_t j, std::span<const float> alphas) {
                            visit({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j),
                                   alphas.first(heads), alphas.subspan(heads)});
                          });
}

}  // namespace cone
