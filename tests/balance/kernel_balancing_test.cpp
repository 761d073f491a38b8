#include "balance/kernel_balancing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

/// Confounded data: column 0 affects treatment and outcome, and the policy treats the other nodes.
struct Sample {
  Matrix<double> x;
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome, policy;

  std::size_t size() const { return treatment.size(); }
};

Sample make_sample(std::size_t n, std::size_t width, std::uint64_t item = 0) {
  Rng rng(7, Stream::kTest, item);
  Sample sample{.x = Matrix<double>(n, width)};
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : sample.x.row(i)) value = rng.uniform(-2, 2);
    const double first = sample.x(i, 0);
    sample.treatment.push_back(rng.uniform() < sigmoid(1.5 * first) ? 1 : 0);
    sample.policy.push_back(sigmoid(-2 * first));
    sample.outcome.push_back(3 + first + sample.treatment[i] * (1 - first) +
                             0.1 * rng.uniform(-1, 1));
  }
  sample.treatment[0] = 0;
  sample.treatment[1] = 1;
  return sample;
}

KernelBalancingOptions options_with(double lambda, bool normalised) {
  return {.kernel_lambda = lambda, .kernel_normalised = normalised};
}

std::vector<double> weights_of(const Sample& sample, const KernelBalancingOptions& options,
                               int num_threads = 1) {
  const Context context({.threads = num_threads});
  return KernelBalancing(context, sample.x.view(), sample.treatment, 2, options)
      .weights(context, two_arm_probabilities(sample.policy).view());
}

double kernel_between(const Sample& sample, std::size_t i, std::size_t j, double bandwidth) {
  double squared = 0;
  for (std::size_t c = 0; c < sample.x.cols(); ++c) {
    squared += (sample.x(i, c) - sample.x(j, c)) * (sample.x(i, c) - sample.x(j, c));
  }
  return std::exp(-squared / (2 * bandwidth * bandwidth));
}

/// 2GW − a from the definition.
std::vector<double> gradient_of(const Sample& sample, std::span<const double> weights,
                                double bandwidth, double lambda) {
  std::vector<double> gradient(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    gradient[i] = 2 * lambda * weights[i];
    for (std::size_t j = 0; j < sample.size(); ++j) {
      const double k = kernel_between(sample, i, j, bandwidth);
      const bool treated = sample.treatment[i] == 1;
      gradient[i] -= 2 * k * (treated ? sample.policy[j] : 1 - sample.policy[j]);
      if (sample.treatment[i] == sample.treatment[j]) gradient[i] += 2 * k * weights[j];
    }
  }
  return gradient;
}

double bandwidth_of(const Sample& sample, const KernelBalancingOptions& options) {
  return KernelBalancing(Context({.threads = 1}), sample.x.view(), sample.treatment, 2, options)
      .bandwidth();
}

TEST(KernelBalancing, UnconstrainedWeightsHaveNoGradient) {
  const Sample sample = make_sample(60, 3);
  const KernelBalancingOptions options = options_with(0.2, false);
  const std::vector<double> weights = weights_of(sample, options);
  for (const double g : gradient_of(sample, weights, bandwidth_of(sample, options), 0.2)) {
    EXPECT_NEAR(g, 0, 1e-10);
  }
}

/// A convex programme: weights that satisfy these conditions are optimal.
void expect_optimal(const Sample& sample, const KernelBalancingOptions& options) {
  const std::vector<double> weights = weights_of(sample, options);
  EXPECT_NEAR(sum(weights), static_cast<double>(sample.size()), 1e-9);
  const std::vector<double> gradient =
      gradient_of(sample, weights, bandwidth_of(sample, options), options.kernel_lambda);
  double price = std::numeric_limits<double>::infinity();
  for (const double g : gradient) price = std::min(price, g);
  const double scale = std::abs(price) + 2 * static_cast<double>(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_GE(weights[i], 0) << i;
    if (weights[i] > 0) {
      EXPECT_NEAR(gradient[i], price, 1e-8 * scale) << i;
    }
  }
}

TEST(KernelBalancing, NormalisedWeightsSatisfyTheOptimalityConditions) {
  for (const double lambda : {1e-6, 1e-3, 0.2, 5.0}) {
    for (const std::size_t width : {1, 4, 30}) {
      SCOPED_TRACE(std::to_string(lambda) + " " + std::to_string(width));
      expect_optimal(make_sample(90, width, width), options_with(lambda, true));
    }
  }
}

TEST(KernelBalancing, ManyWeightsAreZeroWhereThePolicyAvoidsTheLoggedArm) {
  const std::vector<double> weights = weights_of(make_sample(200, 2), options_with(1e-3, true));
  EXPECT_GT(std::count(weights.begin(), weights.end(), 0.0), 20);
}

TEST(KernelBalancing, WeightsOfNarrowKernelsAreOptimalToo) {
  for (const double bandwidth : {0.01, 0.3, 10.0}) {
    KernelBalancingOptions options = options_with(1e-3, true);
    options.kernel_bandwidth = bandwidth;
    expect_optimal(make_sample(80, 2), options);
  }
}

/// Gaussian elimination, independent of the code under test.
std::vector<double> solve(Matrix<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a(i, j) * b[j];
    b[i] /= a(i, i);
  }
  return b;
}

/// The prediction of kernel ridge regression on some nodes for node i.
double ridge_prediction(const Sample& sample, const std::vector<std::size_t>& nodes, std::size_t i,
                        double bandwidth, double lambda) {
  Matrix<double> k(nodes.size(), nodes.size());
  std::vector<double> y;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      k(a, b) = kernel_between(sample, nodes[a], nodes[b], bandwidth) + (a == b ? lambda : 0.0);
    }
    y.push_back(sample.outcome[nodes[a]]);
  }
  const std::vector<double> coefficients = solve(std::move(k), std::move(y));
  double prediction = 0;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    prediction += coefficients[a] * kernel_between(sample, nodes[a], i, bandwidth);
  }
  return prediction;
}

TEST(KernelBalancing, UnconstrainedIsTheDirectMethodWithKernelRidge) {
  const Sample sample = make_sample(40, 3);
  const double lambda = 0.5;
  const Context context({.threads = 1});
  const KernelBalancing balancing(context, sample.x.view(), sample.treatment, 2,
                                  options_with(lambda, false));
  const BalancedValue result =
      balancing.value(context, sample.outcome, two_arm_probabilities(sample.policy).view());

  std::array<std::vector<std::size_t>, 2> arms;
  for (std::size_t i = 0; i < sample.size(); ++i) arms[sample.treatment[i]].push_back(i);
  double expected = 0;
  std::vector<double> contributions;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double mu0 = ridge_prediction(sample, arms[0], i, balancing.bandwidth(), lambda);
    const double mu1 = ridge_prediction(sample, arms[1], i, balancing.bandwidth(), lambda);
    const double m = sample.policy[i] * mu1 + (1 - sample.policy[i]) * mu0;
    expected += m / static_cast<double>(sample.size());
    std::vector<std::size_t> others = arms[sample.treatment[i]];
    others.erase(std::find(others.begin(), others.end(), i));
    const double residual =
        sample.outcome[i] - ridge_prediction(sample, others, i, balancing.bandwidth(), lambda);
    contributions.push_back(m + result.weights[i] * residual);
  }
  EXPECT_NEAR(result.value, expected, 1e-10);
  EXPECT_NEAR(standard_error(result.influence), standard_error(contributions), 1e-10);
  EXPECT_NEAR(mean(result.influence), 0, 1e-12);
}

TEST(KernelBalancing, NormalisedValueMovesWithTheOutcomes) {
  const Sample sample = make_sample(80, 2);
  const Context context({.threads = 1});
  const KernelBalancing balancing(context, sample.x.view(), sample.treatment, 2,
                                  options_with(0.2, true));
  std::vector<double> moved = sample.outcome;
  for (double& y : moved) y = 100 - 2 * y;
  const BalancedValue before =
      balancing.value(context, sample.outcome, two_arm_probabilities(sample.policy).view());
  const BalancedValue after =
      balancing.value(context, moved, two_arm_probabilities(sample.policy).view());
  EXPECT_NEAR(after.value, 100 - 2 * before.value, 1e-9);
  EXPECT_NEAR(standard_error(after.influence), 2 * standard_error(before.influence), 1e-9);
}

TEST(KernelBalancing, BalancingRemovesMostOfTheBias) {
  const Sample sample = make_sample(400, 1);
  const Context context({.threads = 2});
  const KernelBalancing balancing(context, sample.x.view(), sample.treatment, 2,
                                  options_with(1e-3, true));
  const BalancedValue result =
      balancing.value(context, sample.outcome, two_arm_probabilities(sample.policy).view());
  double truth = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double first = sample.x(i, 0);
    truth += (3 + first + sample.policy[i] * (1 - first)) / static_cast<double>(sample.size());
  }
  EXPECT_NEAR(result.value, truth, 0.05);
  EXPECT_LT(standard_error(result.influence), 0.2);
}

TEST(KernelBalancing, SparseAndDenseFeaturesAgree) {
  Sample sample = make_sample(70, 40);
  for (const std::size_t kept : {2, 40}) {  // few entries: scattered products; all: dense ones
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      for (std::size_t c = 0; c < sample.x.cols(); ++c) {
        if ((c + i) % sample.x.cols() >= kept) {
          sample.x(i, c) = 0;
        } else {
          sample.x(i, c) = std::sin(static_cast<double>(i * 41 + c));
          columns.push_back(static_cast<std::uint32_t>(c));
          values.push_back(sample.x(i, c));
        }
      }
      offsets.push_back(columns.size());
    }
    const SparseMatrix sparse(sample.x.cols(), offsets, columns, values);
    const Context context({.threads = 2});
    const KernelBalancing from_sparse(context, sparse, sample.treatment, 2,
                                      options_with(0.2, true));
    const std::vector<double> expected = weights_of(sample, options_with(0.2, true));
    const std::vector<double> weights =
        from_sparse.weights(context, two_arm_probabilities(sample.policy).view());
    for (std::size_t i = 0; i < sample.size(); ++i) EXPECT_NEAR(weights[i], expected[i], 1e-9);
  }
}

TEST(KernelBalancing, BandwidthIsTheMedianOfPositiveDistances) {
  // Distances 1, 3, 4, and 0 between each node and its copy.
  Sample sample{.x = Matrix<double>(4, 1),
                .treatment = {0, 1, 0, 1},
                .outcome = {0, 0, 0, 0},
                .policy = {1, 1, 1, 1}};
  sample.x(1, 0) = 1;
  sample.x(2, 0) = 4;
  sample.x(3, 0) = 4;  // positive: 1, 4, 4, 3, 3
  EXPECT_DOUBLE_EQ(bandwidth_of(sample, {}), 3);
  EXPECT_DOUBLE_EQ(bandwidth_of(sample, {.kernel_bandwidth = 0.5}), 1.5);
  EXPECT_DOUBLE_EQ(
      bandwidth_of(sample, {.kernel_bandwidth = 0.5, .kernel_unit = BandwidthUnit::kAbsolute}),
      0.5);
}

TEST(KernelBalancing, UnitAndOriginOfTheFeaturesDoNotMatter) {
  Sample sample = make_sample(60, 3);
  const std::vector<double> before = weights_of(sample, options_with(0.2, true));
  for (double& value : sample.x.values()) value = 1000 * (value + 1e3);
  const std::vector<double> after = weights_of(sample, options_with(0.2, true));
  for (std::size_t i = 0; i < sample.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-7);
}

TEST(KernelBalancing, TheOrderOfTheNodesDoesNotMatter) {
  const Sample sample = make_sample(60, 3);
  Sample turned = sample;
  const auto other = [&](std::size_t i) { return (i * 7 + 3) % sample.size(); };
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::span<const double> row = sample.x.row(other(i));
    std::copy(row.begin(), row.end(), turned.x.row(i).begin());
    turned.treatment[i] = sample.treatment[other(i)];
    turned.policy[i] = sample.policy[other(i)];
  }
  for (const bool normalised : {false, true}) {
    const std::vector<double> expected = weights_of(sample, options_with(0.2, normalised));
    const std::vector<double> weights = weights_of(turned, options_with(0.2, normalised));
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_NEAR(weights[i], expected[other(i)], 1e-9);
    }
  }
}

TEST(KernelBalancing, ThreadsChangeNoBit) {
  const Sample sample = make_sample(300, 5);
  for (const bool normalised : {false, true}) {
    const KernelBalancingOptions options = options_with(1e-3, normalised);
    const Context one({.threads = 1});
    const BalancedValue expected =
        KernelBalancing(one, sample.x.view(), sample.treatment, 2, options)
            .value(one, sample.outcome, two_arm_probabilities(sample.policy).view());
    for (const int num_threads : {2, 5}) {
      const Context context({.threads = num_threads});
      const BalancedValue result =
          KernelBalancing(context, sample.x.view(), sample.treatment, 2, options)
              .value(context, sample.outcome, two_arm_probabilities(sample.policy).view());
      EXPECT_EQ(result.weights, expected.weights);
      EXPECT_EQ(result.value, expected.value);
      EXPECT_EQ(result.influence, expected.influence);
    }
  }
}

TEST(KernelBalancing, EqualNodesGetEqualWeights) {
  Sample sample = make_sample(20, 2);
  const std::size_t n = sample.size();
  Sample doubled{.x = Matrix<double>(2 * n, 2)};
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const std::span<const double> row = sample.x.row(i % n);
    std::copy(row.begin(), row.end(), doubled.x.row(i).begin());
    doubled.treatment.push_back(sample.treatment[i % n]);
    doubled.policy.push_back(sample.policy[i % n]);
  }
  const std::vector<double> weights = weights_of(doubled, options_with(1e-3, true));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(weights[i], weights[i + n], 1e-7);
  expect_optimal(doubled, options_with(1e-3, true));
}

TEST(KernelBalancing, ConstantFeaturesShareTheWeightByThePolicy) {
  Sample sample = make_sample(50, 2);
  std::fill(sample.x.values().begin(), sample.x.values().end(), 3.7);
  const double num_treated = std::accumulate(sample.treatment.begin(), sample.treatment.end(), 0.0);
  EXPECT_EQ(bandwidth_of(sample, {}), 1);
  const std::vector<double> weights = weights_of(sample, options_with(1e-6, true));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double share = sample.treatment[i] == 1 ? sum(sample.policy) / num_treated
                                                  : (50 - sum(sample.policy)) / (50 - num_treated);
    EXPECT_NEAR(weights[i], share, 1e-4);
  }
  const Matrix<double> nothing(50, 0);
  const Context context({.threads = 1});
  const KernelBalancing balancing(context, nothing.view(), sample.treatment, 2,
                                  options_with(1e-6, true));
  EXPECT_NEAR(balancing.weights(context, two_arm_probabilities(sample.policy).view())[1],
              weights[1], 1e-9);
}

TEST(KernelBalancing, OneNodeAnArm) {
  const Sample sample{
      .x = Matrix<double>(2, 1), .treatment = {0, 1}, .outcome = {10, 20}, .policy = {0.25, 0.25}};
  const Context context({.threads = 1});
  const KernelBalancing balancing(context, sample.x.view(), sample.treatment, 2,
                                  options_with(1e-9, true));
  const BalancedValue result =
      balancing.value(context, sample.outcome, two_arm_probabilities(sample.policy).view());
  EXPECT_NEAR(result.weights[0], 1.5, 1e-6);
  EXPECT_NEAR(result.weights[1], 0.5, 1e-6);
  EXPECT_NEAR(result.value, 12.5, 1e-5);
}

TEST(KernelBalancing, AnArmWithoutNodesHasNoValueUnlessThePolicyNeverAssignsIt) {
  Sample sample = make_sample(10, 2);
  std::fill(sample.treatment.begin(), sample.treatment.end(), std::uint8_t{0});
  const Context context({.threads = 1});
  const KernelBalancing balancing(context, sample.x.view(), sample.treatment, 2,
                                  options_with(0.2, true));
  EXPECT_TRUE(std::isnan(
      balancing.value(context, sample.outcome, two_arm_probabilities(sample.policy).view()).value));
  const std::vector<double> never(10, 0.0);
  EXPECT_TRUE(std::isfinite(
      balancing.value(context, sample.outcome, two_arm_probabilities(never).view()).value));
}

TEST(KernelBalancing, LambdaIsChosenByTheLeaveOneOutError) {
  const Context context({.threads = 2});
  const Sample sample = make_sample(120, 2);
  KernelBalancing open(context, sample.x.view(), sample.treatment, 2, options_with(0, true));
  open.choose_lambda(context, sample.outcome);
  double least = std::numeric_limits<double>::infinity();
  double best = 0;
  for (const double lambda : {0.001, 0.2, 1.0, 5.0}) {
    const KernelBalancing fixed(context, sample.x.view(), sample.treatment, 2,
                                options_with(lambda, true));
    if (fixed.leave_one_out_error(sample.outcome) >= least) continue;
    least = fixed.leave_one_out_error(sample.outcome);
    best = lambda;
  }
  EXPECT_EQ(open.lambda(), best);
  EXPECT_EQ(open.leave_one_out_error(sample.outcome), least);
}

TEST(KernelBalancing, RefusesInvalidInput) {
  const Sample sample = make_sample(10, 2);
  const Context context({.threads = 1});
  EXPECT_THROW(
      KernelBalancing(context, sample.x.view(), sample.treatment, 2, options_with(-1, true)),
      Error);
  const KernelBalancing open(context, sample.x.view(), sample.treatment, 2, options_with(0, true));
  EXPECT_THROW(open.weights(context, two_arm_probabilities(sample.policy).view()),
               Error);  // no lambda yet
  const std::size_t many = KernelBalancing::kMaxNodes + 1;
  const Matrix<double> rows(many, 1);
  const std::vector<std::uint8_t> treatment(many, 0);
  EXPECT_THROW(KernelBalancing(context, rows.view(), treatment, 2, {}), Error);
}

}  // namespace
}  // namespace cone
