#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "cone_networks/encoder.hpp"
#include "cone_networks/export_attention.hpp"
#include "cone_networks/train_encoder.hpp"
#include "data/split.hpp"
#include "nn/train.hpp"
#include "nn/workspace.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

using testing::first_nodes;
using testing::simulated_network;
using testing::small_options;

TrainedEncoder train_on(const Context& context, const Dataset& data, const ConeOptions& options,
                        std::span<const NodeIndex> learnt, std::span<const NodeIndex> validation) {
  const ConeInput input(data);
  return train_encoder(context, input, options, learnt, validation);
}

std::vector<float> weights_of(const TrainedEncoder& result) {
  const auto values = result.weights.parameters.values();
  return {values.begin(), values.end()};
}

std::vector<float> numbers_of(const Matrix<float>& x) {
  return {x.values().begin(), x.values().end()};
}

double score(const EpochLosses& losses, const ConeOptions& options) {
  return losses.validation_outcome + options.gamma * losses.validation_treatment;
}

class EveryEncoder : public ::testing::TestWithParam<EncoderKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryEncoder,
                         ::testing::Values(EncoderKind::kAttention, EncoderKind::kMean),
                         [](const auto& tested) { return std::string(enum_name(tested.param)); });

TEST_P(EveryEncoder, LowersTheLossesAndPredictsHeldOutOutcomesBetterThanAConstant) {
  const Dataset data = simulated_network(1200);
  const Split split = make_split(data, {}, 1);
  ConeOptions options;
  options.encoder = GetParam();
  options.gamma = 0.1;
  const Context context({.seed = 1, .threads = 2});
  const TrainedEncoder result = train_on(context, data, options, split.train, split.validation);
  EXPECT_NE(result.status, TrainingStatus::kDiverged);
  const EpochLosses& first = result.history.front();
  const EpochLosses& best = result.history[result.best_epoch];
  EXPECT_LT(best.outcome, 0.8 * first.outcome);
  EXPECT_LT(best.treatment, first.treatment);

  // The outcome head on held-out nodes, compared with the mean of the training nodes.
  const EncoderParts<float> parts({data.features.matrix.cols(), 2}, options);
  nn::MlpWorkspace<float> head;
  parts.outcome_head.forward(
      context, result.weights.parameters,
      nn::columns(std::as_const(result.z).view(), 0, parts.towers.tower_columns()), head);
  double squared_error = 0;
  double constant_error = 0;
  const OutcomeUnits& units = result.weights.outcome_units;
  for (const NodeIndex i : split.test) {
    const double y = (data.outcome[i] - units.mean) / units.scale;
    squared_error += std::pow(head.output()(i, 0) - y, 2);
    constant_error += y * y;
  }
  EXPECT_LT(squared_error, 0.8 * constant_error);
}

TEST_P(EveryEncoder, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = simulated_network(700);
  ConeOptions options = small_options();
  options.encoder = GetParam();
  options.layers = 2;
  options.dropout = 0.2;
  options.epochs = 4;
  options.clip_gradient = 0.5;
  const auto train = first_nodes(400);
  const auto validation = first_nodes(150, 400);
  const TrainedEncoder one =
      train_on(Context({.seed = 3, .threads = 1}), data, options, train, validation);
  for (const int threads : {2, 5}) {
    const TrainedEncoder more =
        train_on(Context({.seed = 3, .threads = threads}), data, options, train, validation);
    EXPECT_EQ(weights_of(one), weights_of(more)) << threads;
    EXPECT_EQ(numbers_of(one.z), numbers_of(more.z)) << threads;
  }
}

TEST(Training, EarlyStoppingRestoresTheBestWeights) {
  const Dataset data = simulated_network(500);
  ConeOptions options;
  options.learning_rate = 0.02;
  options.patience = 10;
  options.epochs = 500;
  const auto train = first_nodes(200);
  const auto validation = first_nodes(100, 200);
  const Context context({.seed = 2, .threads = 2});
  const TrainedEncoder result = train_on(context, data, options, train, validation);
  ASSERT_EQ(result.status, TrainingStatus::kStoppedEarly);
  EXPECT_EQ(result.history.size(), result.best_epoch + options.patience + 1);
  for (const EpochLosses& losses : result.history) {
    EXPECT_GE(score(losses, options), score(result.history[result.best_epoch], options));
  }
  // A run that ends at the best epoch has the same weights.
  options.epochs = static_cast<std::uint32_t>(result.best_epoch);
  const TrainedEncoder shorter = train_on(context, data, options, train, validation);
  EXPECT_EQ(weights_of(result), weights_of(shorter));
}

TEST(Training, ThatDivergesIsReportedAndReturnsFiniteNumbers) {
  const Dataset data = simulated_network(500);
  ConeOptions options = small_options();
  for (const double learning_rate : {1e6, 1e30}) {
    options.learning_rate = learning_rate;
    const TrainedEncoder result = train_on(Context({.seed = 1, .threads = 2}), data, options,
                                           first_nodes(300), first_nodes(100, 300));
    EXPECT_EQ(result.status, TrainingStatus::kDiverged) << learning_rate;
    for (const float z : result.z.values()) EXPECT_TRUE(std::isfinite(z));
    for (const float weight : weights_of(result)) EXPECT_TRUE(std::isfinite(weight));
  }
}

class StopAfter : public ProgressObserver {
 public:
  explicit StopAfter(std::uint64_t epoch) : epoch_(epoch) {}
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    if (phase.empty()) return true;  // called before the first report
    EXPECT_EQ(phase, "training representations");
    EXPECT_LE(done, total);
    last_epoch_ = done;
    return done < epoch_;
  }
  std::uint64_t last_epoch() const { return last_epoch_; }

 private:
  std::uint64_t epoch_;
  std::uint64_t last_epoch_ = 0;
};

TEST(Training, CanBeCancelled) {
  const Dataset data = simulated_network(500);
  StopAfter observer(7);
  EXPECT_THROW(train_on(Context({.seed = 1, .threads = 2, .progress = &observer}), data,
                        small_options(), first_nodes(300), first_nodes(100, 300)),
               Cancelled);
  EXPECT_EQ(observer.last_epoch(), 7U);
}

TEST(Training, LeavesNoGradientsInTheModel) {
  const Dataset data = simulated_network(500);
  ConeOptions options = small_options();
  options.epochs = 2;
  const TrainedEncoder result = train_on(Context({.seed = 1, .threads = 2}), data, options,
                                         first_nodes(300), first_nodes(100, 300));
  EXPECT_FALSE(result.weights.parameters.values().empty());
  EXPECT_TRUE(result.weights.parameters.gradients().empty());
}

TEST_P(EveryEncoder, PermutesWithTheNodes) {
  const Dataset data = simulated_network(500);
  const auto order = Rng(9, Stream::kTest).permutation(500);
  const Dataset permuted = testing::with_nodes_permuted(data, order);
  std::vector<NodeIndex> row(500);
  for (NodeIndex i = 0; i < 500; ++i) row[order[i]] = i;
  const auto moved = [&](std::vector<NodeIndex> nodes) {
    for (NodeIndex& i : nodes) i = row[i];
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
  ConeOptions options = small_options();
  options.encoder = GetParam();
  options.epochs = 5;
  options.dropout = 0.3;
  options.zeta = 1;
  const auto train = first_nodes(300);
  const auto validation = first_nodes(100, 300);
  const Context context({.seed = 1, .threads = 2});
  const TrainedEncoder a = train_on(context, data, options, train, validation);
  const TrainedEncoder b = train_on(context, permuted, options, moved(train), moved(validation));
  for (NodeIndex i = 0; i < 500; ++i) {
    for (std::size_t c = 0; c < a.z.cols(); ++c) {
      EXPECT_NEAR(a.z(order[i], c), b.z(i, c), 1e-4);
    }
  }
}

TEST(Training, ReadsOutcomesOfOtherNodesForEarlyStoppingOnly) {
  const Dataset data = simulated_network(500);
  Dataset altered = data;
  for (NodeIndex i = 300; i < 500; ++i) {
    altered.outcome[i] = -100 + 2.0 * i;
    altered.treatment[i] = 1 - altered.treatment[i];
  }
  ConeOptions options = small_options();
  options.epochs = 15;
  options.patience = 1000;
  const Context context({.seed = 1, .threads = 2});
  const auto train = first_nodes(300);
  // Without validation nodes the weights are the same to the last bit.
  EXPECT_EQ(weights_of(train_on(context, data, options, train, {})),
            weights_of(train_on(context, altered, options, train, {})));
  // With them the path is the same; only the choice of the best epoch may differ.
  const auto validation = first_nodes(100, 300);
  const TrainedEncoder a = train_on(context, data, options, train, validation);
  const TrainedEncoder b = train_on(context, altered, options, train, validation);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t e = 0; e < a.history.size(); ++e) {
    EXPECT_EQ(a.history[e].outcome, b.history[e].outcome);
    EXPECT_EQ(a.history[e].mutual_information, b.history[e].mutual_information);
    EXPECT_NE(a.history[e].validation_outcome, b.history[e].validation_outcome);
  }
  // Nodes in neither list have no effect.
  Dataset test_altered = data;
  for (NodeIndex i = 400; i < 500; ++i) test_altered.outcome[i] = 1e6;
  EXPECT_EQ(weights_of(a), weights_of(train_on(context, test_altered, options, train, validation)));
}

TEST(Training, DoesNotDependOnTheUnitsOfTheOutcome) {
  Dataset data = simulated_network(500);
  ConeOptions options = small_options();
  options.epochs = 10;
  const Context context({.seed = 1, .threads = 2});
  const TrainedEncoder a =
      train_on(context, data, options, first_nodes(300), first_nodes(100, 300));
  for (double& y : data.outcome) y = 1024 * y;  // a power of two: no rounding
  const TrainedEncoder b =
      train_on(context, data, options, first_nodes(300), first_nodes(100, 300));
  EXPECT_EQ(weights_of(a), weights_of(b));
  EXPECT_DOUBLE_EQ(b.weights.outcome_units.scale, 1024 * a.weights.outcome_units.scale);
}

TEST(Training, HandlesAConstantOutcomeAndASingleArm) {
  Dataset data = simulated_network(500);
  std::fill(data.outcome.begin(), data.outcome.end(), 3.0);
  std::fill(data.treatment.begin(), data.treatment.end(), std::uint8_t{1});
  ConeOptions options = small_options();
  options.epochs = 5;
  const TrainedEncoder result = train_on(Context({.seed = 1, .threads = 2}), data, options,
                                         first_nodes(300), first_nodes(100, 300));
  EXPECT_EQ(result.status, TrainingStatus::kCompleted);
  EXPECT_EQ(result.weights.outcome_units.scale, 1);
}

TEST(Attention, OfEveryNodeSumsToOneInEveryHead) {
  const Dataset data = simulated_network(500);
  ConeOptions options = small_options();
  options.epochs = 3;
  const Context context({.seed = 1, .threads = 2});
  const TrainedEncoder result = train_on(context, data, options, first_nodes(300), {});
  Matrix<double> sums(500, 2 * options.heads);
  std::size_t num_pairs = 0;
  const ConeInput input(data);
  for_each_attention(context, input, options, result.weights, [&](const AttentionPair& pair) {
    ++num_pairs;
    for (std::size_t k = 0; k < options.heads; ++k) {
      sums(pair.node, k) += pair.treatment_heads[k];
      sums(pair.node, options.heads + k) += pair.outcome_heads[k];
    }
  });
  EXPECT_EQ(num_pairs, 2 * data.graph.num_edges() + 500);
  for (const double sum : sums.values()) EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Attention, OfAnEncoderWithoutAttentionIsRefused) {
  ConeOptions options = small_options();
  EXPECT_NO_THROW(require_attention(options));
  options.encoder = EncoderKind::kMean;
  EXPECT_THROW(require_attention(options), Error);
}

}  // namespace
}  // namespace cone
