// The components of the network ridge.

#include <numeric>

#include <gtest/gtest.h>

#include "network_ridge/learn_variances.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "network_ridge/ridge_world.hpp"
#include "network_ridge/small_matrices.hpp"
#include "network_ridge/smooth_features.hpp"

namespace cone {
namespace {

const Context kTwoThreads({.threads = 2});

Matrix<double> normal_rows(std::size_t n, std::size_t columns, std::uint64_t item) {
  Rng rng(61, Stream::kTest, item);
  Matrix<double> rows(n, columns);
  for (double& value : rows.values()) value = rng.normal();
  return rows;
}

double gaussian_kernel(const Matrix<double>& rows, std::size_t i, std::size_t j, double bandwidth) {
  double squares = 0;
  for (std::size_t c = 0; c < rows.cols(); ++c) squares += std::pow(rows(i, c) - rows(j, c), 2);
  return std::exp(-squares / (2 * bandwidth * bandwidth));
}

TEST(SmoothFeatures, MultiplyToTheKernel) {
  const Matrix<double> rows = normal_rows(120, 3, 1);
  const SmoothFeatures smooth = make_smooth_features(kTwoThreads, rows);
  std::vector<double> distances;
  for (std::size_t i = 0; i < 120; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distances.push_back(std::sqrt(-2 * std::log(gaussian_kernel(rows, i, j, 1))));
    }
  }
  std::ranges::sort(distances);
  const double median =
      0.5 * (distances[distances.size() / 2 - 1] + distances[distances.size() / 2]);
  EXPECT_NEAR(smooth.bandwidth, median, 1e-9);
  for (std::size_t i = 0; i < 120; ++i) {
    for (std::size_t j = 0; j < 120; ++j) {
      ASSERT_NEAR(dot(smooth.features.row(i), smooth.features.row(j)),
                  gaussian_kernel(rows, i, j, smooth.bandwidth), 1e-8);
    }
  }
}

TEST(SmoothFeatures, DropTheSmallestPartsWhereTheirNumberIsLimited) {
  const Matrix<double> rows = normal_rows(800, 2, 2);
  double before = 2;
  for (const std::size_t most : {5U, 20U, 60U}) {
    const SmoothFeatures smooth = make_smooth_features(kTwoThreads, rows, {}, most);
    EXPECT_EQ(smooth.features.cols(), most);
    double worst = 0;
    for (std::size_t i = 0; i < 800; ++i) {
      const double described = dot(smooth.features.row(i), smooth.features.row(i));
      EXPECT_LE(described, 1 + 1e-12);
      worst = std::max(worst, 1 - described);
    }
    EXPECT_LT(worst, 0.8 * before) << most;
    before = worst;
  }
}

TEST(SmoothFeatures, OfFewDifferentRowsAreFew) {
  Matrix<double> rows(300, 2);
  for (std::size_t i = 0; i < 300; ++i) {
    rows(i, 0) = static_cast<double>(i % 2);
    rows(i, 1) = static_cast<double>(i % 3);
  }
  EXPECT_EQ(make_smooth_features(kTwoThreads, rows).features.cols(), 6U);
  const SmoothFeatures one = make_smooth_features(kTwoThreads, Matrix<double>(50, 2, 3.0));
  EXPECT_EQ(one.features.cols(), 1U);
  EXPECT_GT(one.bandwidth, 0);
}

// More rows than are sampled for the bandwidth, and more than one piece of rows.
TEST(SmoothFeatures, DependNeitherOnThreadsNorOnTheOrderOfRows) {
  const Matrix<double> rows = normal_rows(5000, 2, 3);
  const SmoothFeatures one = make_smooth_features(Context({.threads = 1}), rows, {}, 40);
  const SmoothFeatures many = make_smooth_features(Context({.threads = 5}), rows, {}, 40);
  EXPECT_EQ(one.bandwidth, many.bandwidth);
  EXPECT_TRUE(std::ranges::equal(one.features.values(), many.features.values()));
  const auto order = Rng(4, Stream::kTest).permutation(5000);
  Matrix<double> permuted(5000, 2);
  for (std::size_t i = 0; i < 5000; ++i)
    std::ranges::copy(rows.row(order[i]), permuted.row(i).begin());
  const SmoothFeatures other = make_smooth_features(kTwoThreads, permuted, {}, 40);
  EXPECT_EQ(other.bandwidth, one.bandwidth);
  for (std::size_t i = 0; i < 5000; ++i) {
    for (std::size_t c = 0; c < 40; ++c) {
      ASSERT_NEAR(other.features(i, c), one.features(order[i], c), 1e-9);
    }
  }
}

// ---- residual variance -----------------------------------------------------------------------

TEST(ResidualVariance, FindsAConstantAndAGrowth) {
  std::vector<double> residual;
  std::vector<double> degree;
  Rng rng(62, Stream::kTest);
  for (std::size_t i = 0; i < 40000; ++i) {
    degree.push_back(static_cast<double>(i % 9) / 4);
    residual.push_back(std::sqrt(0.5 + 2 * degree.back()) * rng.normal());
  }
  const ResidualVariance found = fit_residual_variance(residual, degree);
  EXPECT_NEAR(found.constant, 0.5, 0.05);
  EXPECT_NEAR(found.growth, 2, 0.1);
  EXPECT_NEAR(found.at(3), found.constant + 3 * found.growth, 1e-12);
}

TEST(ResidualVariance, HasNoNegativePart) {
  // Larger residuals at the small degrees: no growth.
  const ResidualVariance falling =
      fit_residual_variance(std::vector{3.0, -3.0, 1.0, -1.0}, std::vector{0.0, 0.0, 2.0, 2.0});
  EXPECT_EQ(falling.growth, 0);
  EXPECT_GT(falling.constant, 0);
  // Residuals that grow faster than the degree: no constant.
  const ResidualVariance rising =
      fit_residual_variance(std::vector{0.1, -0.1, 3.0, -3.0}, std::vector{1.0, 1.0, 2.0, 2.0});
  EXPECT_EQ(rising.constant, 0);
  EXPECT_GT(rising.growth, 0);
}

TEST(ResidualVariance, IsTheMeanSquareWhereDegreesAreEqual) {
  const std::vector<double> residual = {1, -2, 3};
  for (const double degree : {0.0, 1.0}) {
    const ResidualVariance found = fit_residual_variance(residual, std::vector(3, degree));
    EXPECT_NEAR(found.at(degree), 14.0 / 3, 1e-12);
  }
}

TEST(ResidualVariance, IsZeroWithoutResidualsAndScalesWithTheOutcome) {
  EXPECT_EQ(fit_residual_variance({}, {}).at(1), 0);
  EXPECT_EQ(fit_residual_variance(std::vector{0.0, 0.0}, std::vector{1.0, 2.0}).at(1), 0);
  const std::vector<double> degree = {0, 1, 2, 3};
  const ResidualVariance unit = fit_residual_variance(std::vector{1.0, -2.0, 2.0, -3.0}, degree);
  for (const double scale : {1e-150, 1e-3, 1e150}) {
    const ResidualVariance found =
        fit_residual_variance(std::vector{scale, -2 * scale, 2 * scale, -3 * scale}, degree);
    EXPECT_NEAR(found.at(2) / (scale * scale), unit.at(2), 1e-9);
  }
}

// ---- variances -------------------------------------------------------------------------------

ArmSample sample_of(const Dataset& data, const RidgeInputs& inputs,
                    const std::vector<RidgeGroup>& groups) {
  std::vector<std::uint32_t> positions(data.num_nodes());
  std::iota(positions.begin(), positions.end(), 0U);
  ArmSample sample;
  sample.kernels = make_kernels(kTwoThreads, inputs, groups, positions);
  sample.fixed = Matrix<double>(positions.size(), 1, 1.0);
  sample.noise_grows = true;
  const double center = mean(data.outcome);
  const double sd = std::sqrt(variance(data.outcome, 0));
  for (const std::uint32_t p : positions) {
    sample.outcome.push_back((data.outcome[inputs.node_at[p]] - center) / sd);
  }
  return sample;
}

TEST(LearnVariances, ReportProgressThatGrowsAndGetsPastTheMiddle) {
  class Watch : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t done, std::uint64_t total) override {
      shares.push_back(static_cast<double>(done) / static_cast<double>(total));
      return true;
    }
    std::vector<double> shares;
  };
  Watch watch;
  const Context context({.threads = 1, .progress = &watch});
  const Dataset data = testing::ridge_world({.nodes = 1000}, 31).data;
  RidgeInputs inputs = prepare_inputs(kTwoThreads, data, {});
  const ArmSample sample = sample_of(data, inputs, list_groups(kTwoThreads, inputs, {}));
  std::vector<std::size_t> order(1000);
  std::iota(order.begin(), order.end(), std::size_t{0});
  learn_variances(context, sample, order);
  ASSERT_FALSE(watch.shares.empty());
  EXPECT_TRUE(std::ranges::is_sorted(watch.shares));
  EXPECT_GT(watch.shares.back(), 0.4);
  EXPECT_LE(watch.shares.back(), 1);
}

// 1,000 nodes: the search begins on 400 of them.
TEST(LearnVariances, EndsAtTheSameLikelihoodWhicheverNodesItBeginsOn) {
  const Dataset data = testing::ridge_world({.nodes = 1000}, 31).data;
  RidgeInputs inputs = prepare_inputs(kTwoThreads, data, {});
  const ArmSample sample = sample_of(data, inputs, list_groups(kTwoThreads, inputs, {}));
  std::vector<std::size_t> order(1000);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const LearntVariances one = learn_variances(kTwoThreads, sample, order);
  std::ranges::reverse(order);
  const LearntVariances other = learn_variances(kTwoThreads, sample, order);
  EXPECT_TRUE(one.converged && other.converged);
  EXPECT_EQ(one.num_nodes, 1000U);
  EXPECT_NEAR(one.likelihood, other.likelihood, 5e-3);
  const auto at_found = evaluate_likelihood(kTwoThreads, sample, one.variances);
  EXPECT_NEAR(at_found->value, one.likelihood, 1e-9);
  // No step along one variance decreases the criterion.
  for (std::size_t g = 0; g < one.variances.size(); ++g) {
    for (const double factor : {0.8, 1.25}) {
      std::vector<double> moved = one.variances;
      moved[g] *= factor;
      EXPECT_GT(evaluate_likelihood(kTwoThreads, sample, moved)->value, one.likelihood - 3e-3) << g;
    }
  }
}

TEST(LearnVariances, SharesFollowTheCompositionOfTheOutcomes) {
  testing::RidgeWorld world = testing::ridge_world({.nodes = 600}, 32);
  Rng rng(63, Stream::kTest);
  for (std::size_t i = 0; i < 600; ++i) {
    world.data.outcome[i] = world.rows[i][0] - 0.5 * world.rows[i][1] + 0.3 * rng.normal();
  }
  RidgeInputs inputs = prepare_inputs(kTwoThreads, world.data, {});
  const std::vector<RidgeGroup> groups = list_groups(kTwoThreads, inputs, {});
  const ArmSample sample = sample_of(world.data, inputs, groups);
  std::vector<std::size_t> order(600);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const LearntVariances learnt = learn_variances(kTwoThreads, sample, order);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind == GroupKind::kOwnNumeric) {
      EXPECT_GT(learnt.variances[g], 0.3);
    } else {
      EXPECT_LT(learnt.variances[g], 0.1) << enum_name(groups[g].kind);
    }
  }
  const double total = variance(world.data.outcome, 0);
  EXPECT_NEAR(learnt.variances[groups.size()] + learnt.variances[groups.size() + 1], 0.09 / total,
              0.03);
}

// ---- one penalty by cross-validation ---------------------------------------------------------

/// Σ of squared errors at the held-out rows, by a fit to the others with these variances.
double refit_without(const ArmSample& sample, std::span<const double> variances,
                     const std::vector<bool>& is_held) {
  const std::size_t n = sample.kernels.size();
  const std::size_t q = sample.fixed.cols();
  const Matrix<double> c =
      sum_kernels(kTwoThreads, sample.kernels, variances.first(sample.kernels.groups.size()),
                  noise_of(sample, variances));
  std::vector<std::size_t> train;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_held[i]) train.push_back(i);
  }
  // Columns of C⁻¹[y, B] on the training rows.
  SmallSystem inner(train.size());
  for (std::size_t i = 0; i < train.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) inner.matrix(i, j) = c(train[i], train[j]);
  }
  EXPECT_TRUE(inner.factorise());
  std::vector<std::vector<double>> solved(1 + q, std::vector<double>(train.size()));
  for (std::size_t i = 0; i < train.size(); ++i) {
    solved[0][i] = sample.outcome[train[i]];
    for (std::size_t k = 0; k < q; ++k) solved[1 + k][i] = sample.fixed(train[i], k);
  }
  for (auto& column : solved) inner.solve(column);
  SmallSystem small(q);
  std::vector<double> beta(q, 0.0);
  for (std::size_t i = 0; i < train.size(); ++i) {
    for (std::size_t k = 0; k < q; ++k) {
      beta[k] += sample.fixed(train[i], k) * solved[0][i];
      for (std::size_t l = 0; l < q; ++l) {
        small.matrix(k, l) += sample.fixed(train[i], k) * solved[1 + l][i];
      }
    }
  }
  EXPECT_TRUE(small.factorise());
  small.solve(beta);
  double total = 0;
  for (std::size_t h = 0; h < n; ++h) {
    if (!is_held[h]) continue;
    double predicted = 0;
    for (std::size_t k = 0; k < q; ++k) predicted += sample.fixed(h, k) * beta[k];
    for (std::size_t i = 0; i < train.size(); ++i) {
      double left = solved[0][i];
      for (std::size_t k = 0; k < q; ++k) left -= solved[1 + k][i] * beta[k];
      predicted += c(std::max(h, train[i]), std::min(h, train[i])) * left;
    }
    total += std::pow(sample.outcome[h] - predicted, 2);
  }
  return total;
}

TEST(CrossValidation, ChoosesThePenaltyWithTheSmallestErrorOfRefits) {
  const Dataset data = testing::ridge_world({.nodes = 90}, 33).data;
  RidgeInputs inputs = prepare_inputs(kTwoThreads, data, {});
  const ArmSample sample = sample_of(data, inputs, list_groups(kTwoThreads, inputs, {}));
  std::vector<std::size_t> order(90);
  for (std::size_t k = 0; k < 90; ++k) order[k] = (k * 7) % 90;
  const LearntVariances chosen = cross_validate_variances(kTwoThreads, sample, order);
  EXPECT_TRUE(chosen.converged);
  const std::size_t num_groups = sample.kernels.groups.size();
  for (std::size_t g = 1; g < num_groups; ++g) {
    EXPECT_EQ(chosen.variances[g], chosen.variances[0]) << "one penalty for all groups";
  }
  EXPECT_EQ(chosen.variances.back(), 0) << "and noise that does not grow";
  const auto error_of = [&](std::span<const double> variances) {
    double total = 0;
    for (std::size_t part = 0; part < 5; ++part) {
      std::vector<bool> is_held(90, false);
      for (std::size_t k = part; k < 90; k += 5) is_held[order[k]] = true;
      total += refit_without(sample, variances, is_held);
    }
    return total;
  };
  const double least = error_of(chosen.variances);
  const double ratio =
      chosen.variances[0] * static_cast<double>(num_groups) / chosen.variances[num_groups];
  for (const double factor : {0.1, 0.3, 3.0, 10.0}) {
    // The grid has steps of about 3; slightly beyond its neighbours the error is no smaller.
    const double noise = 1 / (1 + factor * ratio);
    std::vector<double> moved(sample.num_variances(), 0.0);
    for (std::size_t g = 0; g < num_groups; ++g) {
      moved[g] = (1 - noise) / static_cast<double>(num_groups);
    }
    moved[num_groups] = noise;
    EXPECT_GE(error_of(moved), 0.999 * least) << factor;
  }
}

TEST(CrossValidation, IsAnAlternativeToTheLikelihood) {
  const Dataset data = testing::ridge_world({.nodes = 300, .arms = 3}, 34).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  NetworkRidgeOptions options;
  options.ridge_criterion = RidgeCriterion::kCrossValidation;
  const testing::RidgeAnswer one = testing::answer(Context({.threads = 1}), data, plan, options);
  const testing::RidgeAnswer many = testing::answer(Context({.threads = 5}), data, plan, options);
  EXPECT_TRUE(testing::all_finite(one.mu.values()));
  EXPECT_TRUE(std::ranges::equal(one.mu.values(), many.mu.values()));
  EXPECT_TRUE(std::ranges::equal(one.implied.weights, many.implied.weights));
  const testing::RidgeAnswer likelihood = testing::answer(Context({.threads = 2}), data, plan);
  EXPECT_GT(testing::largest_difference(one.mu.values(), likelihood.mu.values()), 0.01);
}

}  // namespace
}  // namespace cone
