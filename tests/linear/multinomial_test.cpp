#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "linear/explicit_logistic.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_objective.hpp"
#include "linear/logistic_solver.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

struct LabelledSample {
  std::vector<std::vector<double>> x;
  std::vector<std::uint8_t> label;
  std::size_t num_labels = 0;

  FeatureMatrix matrix() const { return testing::sparse_from_rows(x); }
};

/// Half of the entries are zero; label a has the logit a/4 + x_a.
LabelledSample labelled(std::size_t rows, std::size_t cols, std::size_t num_labels,
                        std::uint64_t seed) {
  LabelledSample out{.x = std::vector(rows, std::vector<double>(cols, 0.0)),
                     .label = {},
                     .num_labels = num_labels};
  for (std::size_t i = 0; i < rows; ++i) {
    Rng rng(seed, Stream::kTest, i);
    for (double& value : out.x[i]) {
      if (rng.bernoulli(0.5)) value = rng.normal();
    }
    std::size_t best = 0;
    double highest = -INFINITY;
    for (std::size_t a = 0; a < num_labels; ++a) {  // the largest of Gumbel values
      const double value =
          0.25 * static_cast<double>(a) + out.x[i][a % cols] - std::log(rng.exponential());
      if (value > highest) {
        highest = value;
        best = a;
      }
    }
    out.label.push_back(static_cast<std::uint8_t>(best));
  }
  return out;
}

std::vector<double> random_point(std::size_t size) {
  Rng rng(3, Stream::kTest, 1U << 20);
  std::vector<double> point(size);
  for (double& value : point) value = 0.3 * rng.normal();
  return point;
}

Matrix<double> probabilities_of(const LogisticFit& fit, const FeatureMatrix& x) {
  Matrix<double> out(x.rows(), fit.num_labels());
  for (std::size_t i = 0; i < x.rows(); ++i) fit.probabilities(x.row(i), out.row(i));
  return out;
}

/// Steps by conjugate gradients, and steps by the Hessian of columns that are dense in part.
std::vector<std::unique_ptr<LogisticObjective>> both_objectives(const Context& context,
                                                                const LabelledSample& data) {
  std::vector<std::unique_ptr<LogisticObjective>> out;
  const SparseMatrix sparse = testing::sparse_from_rows(data.x);
  out.push_back(make_logistic_objective(context, CentredMatrix(context, sparse), data.label,
                                        data.num_labels));
  const FeatureMatrix mixed = store_full_columns_densely(sparse, data.x[0].size() - 1);
  EXPECT_FALSE(mixed.dense_columns().empty());
  EXPECT_GT(mixed.sparse().num_entries(), 0U);
  CentredMatrix centred(context, mixed);
  EXPECT_TRUE(prefers_explicit_hessian(centred, data.num_labels));
  EXPECT_FALSE(prefers_explicit_hessian(CentredMatrix(context, sparse), data.num_labels));
  out.push_back(make_logistic_objective(context, std::move(centred), data.label, data.num_labels));
  return out;
}

TEST(Multinomial, GradientAgreesWithDifferencesOfTheObjective) {
  const Context context({.threads = 1});
  for (const std::size_t num_labels : {2U, 3U, 5U}) {
    const LabelledSample data = labelled(600, 4, num_labels, 1);
    for (const auto& objective : both_objectives(context, data)) {
      const std::vector<double> point = random_point(objective->size());
      std::vector<double> gradient(point.size());
      objective->evaluate(0.7, point);
      objective->gradient(0.7, point, gradient);
      for (std::size_t j = 0; j < point.size(); ++j) {
        constexpr double kStep = 1e-5;
        std::vector<double> moved = point;
        moved[j] += kStep;
        const double above = objective->evaluate(0.7, moved);
        moved[j] -= 2 * kStep;
        const double below = objective->evaluate(0.7, moved);
        EXPECT_NEAR(gradient[j], (above - below) / (2 * kStep), 1e-6) << num_labels << ", " << j;
      }
    }
  }
}

/// Hessian · step = −gradient: along the step the gradient changes by −gradient.
TEST(Multinomial, NewtonStepAgreesWithDifferencesOfTheGradient) {
  const Context context({.threads = 1});
  for (const std::size_t num_labels : {2U, 4U}) {
    const LabelledSample data = labelled(600, 3, num_labels, 2);
    for (const auto& objective : both_objectives(context, data)) {
      const std::vector<double> point = random_point(objective->size());
      std::vector<double> gradient(point.size());
      std::vector<double> step(point.size());
      objective->evaluate(1.3, point);
      objective->gradient(1.3, point, gradient);
      objective->find_newton_step(1.3, gradient, /*tolerance=*/1e-12, step);
      constexpr double kShare = 1e-5;
      std::vector<double> above(point.size());
      std::vector<double> below(point.size());
      std::vector<double> moved = point;
      for (std::size_t j = 0; j < point.size(); ++j) moved[j] += kShare * step[j];
      objective->evaluate(1.3, moved);
      objective->gradient(1.3, moved, above);
      for (std::size_t j = 0; j < point.size(); ++j) moved[j] -= 2 * kShare * step[j];
      objective->evaluate(1.3, moved);
      objective->gradient(1.3, moved, below);
      for (std::size_t j = 0; j < point.size(); ++j) {
        EXPECT_NEAR((above[j] - below[j]) / (2 * kShare), -gradient[j], 1e-5)
            << num_labels << ", " << j;
      }
    }
  }
}

/// A path of C uses the Hessian of earlier points; its solutions must not depend on that.
TEST(Multinomial, APathEndsWhereAFreshFitDoes) {
  const Context context({.threads = 1});
  const LabelledSample data = labelled(3000, 5, 3, 8);
  const FeatureMatrix x =
      store_full_columns_densely(testing::sparse_from_rows(data.x), data.x[0].size());
  LogisticSolver path(context, CentredMatrix(context, x), data.label, 3);
  LogisticSolver rough_path(context, CentredMatrix(context, x), data.label, 3);
  for (const double c : {0.0, 1e-3, 1e-2, 0.1, 1.0, 30.0}) {
    const LogisticFit warm = path.fit(c, 1e-9);
    const LogisticFit cold = fit_logistic(context, x, data.label, 3, c, 1e-9);
    EXPECT_TRUE(warm.converged);
    EXPECT_TRUE(cold.converged);
    const LogisticFit rough = rough_path.fit_roughly(c, 1e-4);
    EXPECT_TRUE(rough.converged);
    for (std::size_t k = 0; k < warm.coefficients.values().size(); ++k) {
      EXPECT_NEAR(warm.coefficients.values()[k], cold.coefficients.values()[k], 1e-7);
      EXPECT_NEAR(rough.coefficients.values()[k], cold.coefficients.values()[k], 2e-4);
    }
  }
}

TEST(Multinomial, SeparableLabelsOfDenseColumnsStayFinite) {
  Matrix<double> values(40, 2);
  std::vector<std::uint8_t> label;
  for (std::size_t i = 0; i < 40; ++i) {
    label.push_back(static_cast<std::uint8_t>(i * 3 / 40));
    values(i, 0) = static_cast<double>(label.back()) + 0.01 * static_cast<double>(i % 7);
    values(i, 1) = static_cast<double>(i % 5);
  }
  for (const double c : {1.0, 1e4, 1e8}) {
    const LogisticFit fit =
        fit_logistic(Context({.threads = 1}), FeatureMatrix(values), label, 3, c);
    EXPECT_TRUE(fit.converged) << c;
    for (const double slope : fit.coefficients.values()) EXPECT_TRUE(std::isfinite(slope));
  }
}

/// By the definition in the header, on the columns as they are: with slopes w_a of all labels that
/// sum to zero, 2·w_a = C·Σ_i (1{label_i = a} − p_ia)·x_i, and residuals sum to zero.
TEST(Multinomial, SolutionIsStationary) {
  const LabelledSample data = labelled(400, 5, 4, 3);
  const FeatureMatrix x = data.matrix();
  constexpr double kC = 0.2;
  const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, data.label, 4, kC);
  EXPECT_TRUE(fit.converged);
  const Matrix<double> p = probabilities_of(fit, x);
  for (std::size_t a = 0; a < 4; ++a) {
    double total = 0;
    std::vector<double> pull(5, 0.0);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const double residual = (data.label[i] == a ? 1.0 : 0.0) - p(i, a);
      total += residual;
      for (std::size_t j = 0; j < 5; ++j) pull[j] += kC * residual * data.x[i][j];
    }
    EXPECT_NEAR(total, 0, 1e-6);
    for (std::size_t j = 0; j < 5; ++j) {
      double mean = 0;
      for (std::size_t b = 0; b < 3; ++b) mean += fit.coefficients(b, j) / 4;
      const double w = (a == 0 ? 0.0 : fit.coefficients(a - 1, j)) - mean;
      EXPECT_NEAR(2 * w, pull[j], 1e-6) << "label " << a << ", column " << j;
    }
  }
}

TEST(Multinomial, RelabellingPermutesTheProbabilities) {
  const LabelledSample data = labelled(300, 6, 4, 4);
  const FeatureMatrix x = data.matrix();
  const std::vector<std::uint8_t> renamed = {2, 0, 3, 1};  // label 0 moves, so the reference does
  std::vector<std::uint8_t> other;
  for (const std::uint8_t label : data.label) other.push_back(renamed[label]);
  const Matrix<double> p =
      probabilities_of(fit_logistic(Context({.threads = 1}), x, data.label, 4, 0.5), x);
  const Matrix<double> q =
      probabilities_of(fit_logistic(Context({.threads = 1}), x, other, 4, 0.5), x);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(p(i, a), q(i, renamed[a]), 1e-7);
    EXPECT_NEAR(sum(p.row(i)), 1, 1e-14);
  }
}

TEST(Multinomial, ASaturatedDesignGivesTheFrequencies) {
  // Three groups, one indicator each; the labels of group g are 0 once, 1 twice, 2 g + 1 times.
  LabelledSample data{.x = {}, .label = {}, .num_labels = 3};
  for (std::size_t g = 0; g < 3; ++g) {
    const std::vector<std::size_t> times = {1, 2, g + 1};
    for (std::uint8_t label = 0; label < 3; ++label) {
      for (std::size_t k = 0; k < times[label]; ++k) {
        data.x.push_back(std::vector<double>(3, 0.0));
        data.x.back()[g] = 1;
        data.label.push_back(label);
      }
    }
  }
  const FeatureMatrix x = data.matrix();
  const Matrix<double> p =
      probabilities_of(fit_logistic(Context({.threads = 1}), x, data.label, 3, 1e7), x);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double g = data.x[i][0] > 0 ? 0 : data.x[i][1] > 0 ? 1 : 2;
    EXPECT_NEAR(p(i, 0), 1 / (4 + g), 1e-6);
    EXPECT_NEAR(p(i, 1), 2 / (4 + g), 1e-6);
    EXPECT_NEAR(p(i, 2), (1 + g) / (4 + g), 1e-6);
  }
}

TEST(Multinomial, HalvesOfALabelAddUpToIt) {
  const LabelledSample data = labelled(20000, 4, 2, 5);
  const FeatureMatrix x = data.matrix();
  std::vector<std::uint8_t> halved = data.label;
  Rng rng(6, Stream::kTest);
  for (std::uint8_t& label : halved) {
    if (label == 1 && rng.bernoulli(0.5)) label = 2;
  }
  const Matrix<double> whole =
      probabilities_of(fit_logistic(Context({.threads = 1}), x, data.label, 2, 10), x);
  const Matrix<double> split =
      probabilities_of(fit_logistic(Context({.threads = 1}), x, halved, 3, 10), x);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(split(i, 1) + split(i, 2), whole(i, 1), 0.01);
    EXPECT_NEAR(split(i, 1), whole(i, 1) / 2, 0.08);
  }
}

TEST(Multinomial, LogLossIsThatOfTheProbabilities) {
  const Context context({.threads = 1});
  const LabelledSample data = labelled(100, 3, 4, 7);
  const FeatureMatrix x = data.matrix();
  LogisticFit fit = fit_logistic(Context({.threads = 1}), x, data.label, 4, 2);
  const Matrix<double> p = probabilities_of(fit, x);
  double total = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(fit.log_loss(x.row(i), data.label[i]), -std::log(p(i, data.label[i])), 1e-12);
    total -= std::log(p(i, data.label[i]));
  }
  std::vector<std::uint32_t> all(100);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_NEAR(HeldOutLabels(x, all, data.label).total_log_loss(context, fit), total, 1e-11);
  const FeatureMatrix mixed = store_full_columns_densely(x.to_sparse(), 2);
  EXPECT_NEAR(HeldOutLabels(mixed, all, data.label).total_log_loss(context, fit), total, 1e-11);
  fit.intercepts = {900, -900, 5};
  fit.coefficients = Matrix<double>(3, 3);
  EXPECT_NEAR(fit.log_loss(x.row(0), 2), 1800, 1e-9);
  EXPECT_NEAR(fit.log_loss(x.row(0), 1), 0, 1e-9);
  const std::vector<std::uint8_t> twos(100, 2);
  EXPECT_NEAR(HeldOutLabels(mixed, all, twos).total_log_loss(context, fit), 180000, 1e-6);
}

TEST(Multinomial, RefusesALabelThatDoesNotOccur) {
  const FeatureMatrix x = testing::sparse_from_rows({{1}, {2}, {3}});
  try {
    fit_logistic(Context({.threads = 1}), x, std::vector<std::uint8_t>{0, 2, 2}, 3, 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    EXPECT_NE(std::string(error.what()).find("none of them in arm 2 of 3"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cone
