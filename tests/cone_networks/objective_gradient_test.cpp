#include <cmath>

#include <gtest/gtest.h>

#include "cone/options.hpp"

#include "cone_networks/encoder.hpp"
#include "nn/adam.hpp"
#include "nn/gradient_check.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

struct Case {
  std::uint32_t layers;
  bool self_loops;
  EncoderKind encoder = EncoderKind::kAttention;
  std::size_t num_arms = 2;
};

/// The whole objective in double precision on the tiny network, losses on eight of its nodes.
class ObjectiveGradient : public ::testing::TestWithParam<Case> {
 protected:
  ObjectiveGradient()
      : data(testing::tiny_network()),
        features(data.features.matrix.sparse()),
        model({5, GetParam().num_arms}, options_of(GetParam())) {
    for (const NodeIndex i : {0U, 1U, 3U, 5U, 8U, 9U, 10U, 11U}) {
      train.nodes.push_back(i);
      train.outcome.push_back((data.outcome[i] - 10) / 3);
      train.treatment.push_back(
          static_cast<Arm>(GetParam().num_arms == 2 ? data.treatment[i] : i % GetParam().num_arms));
    }
    model.initialise(5);
    Rng rng(8, Stream::kTest);  // biases start at zero, where ELU's kink would hide mistakes
    for (double& value : model.parameters().values()) value += 0.3 * rng.normal();
  }

  static ConeOptions options_of(const Case& c) {
    ConeOptions options = testing::small_options();
    options.layers = c.layers;
    options.self_loops = c.self_loops;
    options.encoder = c.encoder;
    options.gamma = 0.7;
    options.zeta = 0.4;
    return options;
  }

  double loss() {
    model.encode(context, data.graph, features.whole(), nullptr);
    const EncoderLosses losses = model.objective(context, train, permutation);
    return losses.outcome + 0.7 * losses.treatment + 0.4 * losses.mutual_information;
  }

  Context context{{.threads = 2}};
  Dataset data;
  TrainingFeatures<double> features;
  Encoder<double> model;
  LoggedNodes<double> train;
  std::vector<std::uint32_t> permutation = {3, 0, 7, 1, 6, 2, 4, 5};
};

TEST_P(ObjectiveGradient, AgreesWithFiniteDifferencesInEveryParameter) {
  loss();
  model.backward(context, data.graph, features.whole(), nullptr);
  const std::vector<double> gradients(model.parameters().gradients().begin(),
                                      model.parameters().gradients().end());
  for (const nn::Tensor& tensor : model.parameters().layout().tensors()) {
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      const double slope =
          testing::central_difference(model.parameters().values()[i], [&] { return loss(); });
      EXPECT_NEAR(gradients[i], slope, 1e-7 * std::max(1.0, std::abs(slope))) << tensor.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, ObjectiveGradient,
                         ::testing::Values(Case{1, true}, Case{2, true}, Case{3, true},
                                           Case{2, false}, Case{1, true, EncoderKind::kMean},
                                           Case{2, false, EncoderKind::kMean},
                                           Case{1, true, EncoderKind::kAttention, 4}),
                         [](const auto& tested) {
                           return std::string(enum_name(tested.param.encoder)) +
                                  std::to_string(tested.param.layers) + "Layers" +
                                  std::to_string(tested.param.num_arms) + "Arms" +
                                  (tested.param.self_loops ? "" : "WithoutSelfLoops");
                         });

/// A larger network than above: where all logits of a node, or all inputs of a hidden unit, have
/// one sign, some gradients are zero.
TEST(OneStep, MovesEveryParameter) {
  const Dataset data = testing::simulated_network(500);
  const SparseMatrix& x = data.features.matrix.sparse();
  const Context context({.threads = 2});
  ConeOptions options = testing::small_options();
  options.layers = 2;
  const TrainingFeatures<double> features(x);
  Encoder<double> model({x.cols(), 2}, options);
  model.initialise(1);
  LoggedNodes<double> train;
  for (NodeIndex i = 0; i < 500; ++i) {
    train.nodes.push_back(i);
    train.outcome.push_back(data.outcome[i]);
    train.treatment.push_back(data.treatment[i]);
  }
  model.encode(context, data.graph, features.whole(), nullptr);
  model.objective(context, train, Rng(1, Stream::kTest).permutation(500));
  model.backward(context, data.graph, features.whole(), nullptr);
  const std::vector<double> before(model.parameters().values().begin(),
                                   model.parameters().values().end());
  nn::Adam<double>({.learning_rate = 0.01}, before.size()).step(context, model.parameters());
  for (const nn::Tensor& tensor : model.parameters().layout().tensors()) {
    // The Donsker–Varadhan bound does not change with a constant added to the critic.
    if (tensor.name == "critic.bias2") continue;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      EXPECT_GT(std::abs(model.parameters().values()[i] - before[i]), 1e-4) << tensor.name;
    }
  }
}

TEST(ObjectiveWithDropout, HasTheGradientOfTheDroppedOutObjective) {
  ConeOptions options = testing::small_options();
  options.layers = 2;
  const Dataset data = testing::tiny_network();
  const Context context({.threads = 1});
  const std::vector<std::uint64_t> keys = {5, 3, 8, 1, 9, 2, 7, 4, 6, 11, 15, 10};
  const nn::Dropout dropout = {.rate = 0.4, .seed = 2, .epoch = 3, .row_keys = keys};
  const TrainingFeatures<double> whole(data.features.matrix.sparse());
  DroppedFeatures<double> memory;
  const FeatureViews<double> features = whole.drop(context, dropout, memory);
  Encoder<double> model({5, 2}, options);
  model.initialise(1);
  const LoggedNodes<double> train = {{0, 4, 9}, {0.5, -1, 1}, {1, 0, 1}};
  const std::vector<std::uint32_t> permutation = {1, 2, 0};
  const auto loss = [&] {
    model.encode(context, data.graph, features, &dropout);
    const EncoderLosses losses = model.objective(context, train, permutation);
    return losses.outcome + options.gamma * losses.treatment +
           options.zeta * losses.mutual_information;
  };
  loss();
  model.backward(context, data.graph, features, &dropout);
  const std::vector<double> gradients(model.parameters().gradients().begin(),
                                      model.parameters().gradients().end());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_NEAR(gradients[i], testing::central_difference(model.parameters().values()[i], loss),
                1e-7);
  }
}

}  // namespace
}  // namespace cone
