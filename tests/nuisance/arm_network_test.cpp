#include "nuisance/arm_network.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

/// y = location + scale·(sin(2·x0) + x1), with a little noise.
struct Samples {
  Matrix<float> x;
  std::vector<double> outcome;

  DenseInput input() const { return DenseInput(x); }
};

Samples curved_samples(std::size_t n, std::uint64_t item, double location, double scale) {
  Rng rng(5, Stream::kTest, item);
  Samples samples{.x = Matrix<float>(n, 3)};
  for (std::size_t i = 0; i < n; ++i) {
    for (float& value : samples.x.row(i)) value = static_cast<float>(rng.normal());
    const double signal = std::sin(2 * samples.x(i, 0)) + samples.x(i, 1);
    samples.outcome.push_back(location + scale * (signal + 0.05 * rng.normal()));
  }
  return samples;
}

struct Schedule {
  nn::AdamOptions adam;
  std::uint64_t epochs = 300;
  std::uint64_t patience = 30;
};

double fit(ArmNetwork& network, const Context& context, const Samples& train,
           const Samples& held_out, const Schedule& schedule) {
  const DenseInput train_input = train.input();
  const DenseInput held_out_input = held_out.input();
  return network.fit(context, {train_input, train.outcome}, {held_out_input, held_out.outcome},
                     schedule.adam, {.epochs = schedule.epochs, .patience = schedule.patience});
}

const Schedule kSchedule = {.adam = {.learning_rate = 0.02}, .epochs = 400, .patience = 50};

double relative_error(const ArmNetwork& network, const Context& context, const Samples& samples) {
  const std::vector<double> predicted = network.predict(context, samples.input());
  double squares = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    squares += std::pow(predicted[i] - samples.outcome[i], 2);
  }
  return squares / static_cast<double>(predicted.size()) / variance(samples.outcome, 0);
}

TEST(ArmNetwork, LearnsACurveWhateverTheUnitsOfTheOutcomes) {
  const Context context({.seed = 1, .threads = 2});
  for (const auto& [location, scale] : {std::pair{0.0, 1.0}, std::pair{-3e6, 1e-3 * 1e6}}) {
    ArmNetwork network(3, 16);
    fit(network, context, curved_samples(600, 0, location, scale),
        curved_samples(200, 1, location, scale), kSchedule);
    EXPECT_LT(relative_error(network, context, curved_samples(300, 2, location, scale)), 0.05);
  }
}

TEST(ArmNetwork, ReturnsTheErrorOfTheParametersItKeeps) {
  const Context context({.seed = 1, .threads = 1});
  const Samples held_out = curved_samples(200, 1, 2, 3);
  ArmNetwork network(3, 16);
  const double error = fit(network, context, curved_samples(100, 0, 2, 3), held_out, kSchedule);
  EXPECT_NEAR(error / variance(held_out.outcome, 0), relative_error(network, context, held_out),
              1e-5);
}

TEST(ArmNetwork, EarlyStoppingBeatsFittingToTheEndOnFewNoisySamples) {
  const Context context({.seed = 2, .threads = 1});
  Rng rng(9, Stream::kTest);
  Samples few{.x = Matrix<float>(40, 20)};
  Samples held_out{.x = Matrix<float>(200, 20)};
  for (Samples* samples : {&few, &held_out}) {
    for (std::size_t i = 0; i < samples->x.rows(); ++i) {
      for (float& value : samples->x.row(i)) value = static_cast<float>(rng.normal());
      samples->outcome.push_back(samples->x(i, 0) + 2 * rng.normal());
    }
  }
  ArmNetwork stopped(20, 32);
  ArmNetwork fitted_out(20, 32);
  fit(stopped, context, few, held_out, kSchedule);
  fit(fitted_out, context, few, {}, kSchedule);
  EXPECT_LT(relative_error(stopped, context, held_out), 1.01);
  EXPECT_GT(relative_error(fitted_out, context, held_out), 1.2);
}

TEST(ArmNetwork, SparseAndDenseInputsGiveTheSameNetwork) {
  const Context context({.seed = 3, .threads = 2});
  Samples train = curved_samples(300, 0, 0, 1);
  Samples held_out = curved_samples(100, 1, 0, 1);
  const auto sparse = [](const Samples& samples) {
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < samples.x.rows(); ++i) {
      rows.emplace_back(samples.x.row(i).begin(), samples.x.row(i).end());
    }
    return testing::sparse_from_rows(rows);
  };
  const SparseInput sparse_train(sparse(train), testing::first_nodes(300));
  const SparseInput sparse_held_out(sparse(held_out), testing::first_nodes(100));
  ArmNetwork from_dense(3, 16);
  ArmNetwork from_sparse(3, 16);
  fit(from_dense, context, train, held_out, {.epochs = 50});
  from_sparse.fit(context, {sparse_train, train.outcome}, {sparse_held_out, held_out.outcome}, {},
                  {.epochs = 50});
  const auto expected = from_dense.predict(context, held_out.input());
  const auto predicted = from_sparse.predict(context, sparse_held_out);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(predicted[i], expected[i], 1e-3);
}

TEST(ArmNetwork, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Samples train = curved_samples(700, 0, 0, 1);
  const Samples held_out = curved_samples(100, 1, 0, 1);
  std::vector<std::vector<double>> predictions;
  for (const int threads : {1, 2, 5}) {
    const Context context({.seed = 4, .threads = threads});
    ArmNetwork network(3, 16);
    fit(network, context, train, held_out, {.epochs = 30});
    predictions.push_back(network.predict(context, held_out.input()));
  }
  EXPECT_EQ(predictions[0], predictions[1]);
  EXPECT_EQ(predictions[0], predictions[2]);
}

TEST(ArmNetwork, ConstantOutcomesArePredictedExactly) {
  const Context context({.threads = 1});
  Samples samples = curved_samples(50, 0, 0, 1);
  samples.outcome.assign(50, 7.5);
  ArmNetwork network(3, 4);
  fit(network, context, samples, samples, kSchedule);
  for (const double y : network.predict(context, samples.input())) EXPECT_NEAR(y, 7.5, 0.02);
}

}  // namespace
}  // namespace cone
