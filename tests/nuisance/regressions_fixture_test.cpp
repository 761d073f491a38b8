#include <array>

#include <gtest/gtest.h>

#include "linear/linear.hpp"
#include "linear/logistic.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// P(label = 1) of a fit of two labels.
double probability_of_one(const LogisticFit& fit, const FeatureMatrix::Row& row) {
  std::array<double, 2> probabilities{};
  fit.probabilities(row, probabilities);
  return probabilities[1];
}

using testing::read_fixture;
using testing::vector_of;

struct Reference {
  nlohmann::json values = read_fixture("regressions.json");
  std::vector<std::vector<double>> x = values.at("x").get<std::vector<std::vector<double>>>();
  std::vector<std::uint8_t> treatment = vector_of<std::uint8_t>(values.at("treatment"));
  std::vector<double> outcome = vector_of(values.at("outcome"));
};

/// `expected` holds the intercept and then the coefficients.
void expect_fit(const LinearFit& fit, const std::vector<double>& expected) {
  ASSERT_EQ(fit.coefficients.size() + 1, expected.size());
  EXPECT_NEAR(fit.intercept, expected[0], 1e-9);
  for (std::size_t j = 0; j < fit.coefficients.size(); ++j) {
    EXPECT_NEAR(fit.coefficients[j], expected[j + 1], 1e-9);
  }
}

TEST(RegressionsFixture, OneRegressionWithTheTreatmentAsAColumnAgrees) {
  Reference reference;
  for (std::size_t i = 0; i < reference.x.size(); ++i) {
    reference.x[i].push_back(reference.treatment[i]);
  }
  expect_fit(fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(reference.x),
                               reference.outcome),
             vector_of(reference.values.at("ols1_intercept_features_treatment")));
}

TEST(RegressionsFixture, OneRegressionAnArmAgrees) {
  const Reference reference;
  for (const int arm : {0, 1}) {
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < reference.x.size(); ++i) {
      if (reference.treatment[i] != arm) continue;
      x.push_back(reference.x[i]);
      y.push_back(reference.outcome[i]);
    }
    expect_fit(fit_least_squares(Context({.threads = 1}), testing::sparse_from_rows(x), y),
               vector_of(reference.values.at(arm == 0 ? "ols2_control_intercept_features"
                                                      : "ols2_treated_intercept_features")));
  }
}

/// The reference was minimised by L-BFGS down to a gradient of 1e-4, which leaves it some 6e-6 away
/// from the minimum: that is how closely anything can agree with it. Our own minimum is checked
/// below to the last digits.
constexpr double kReferenceError = 1e-5;

TEST(RegressionsFixture, LogisticRegressionAgrees) {
  const Reference reference;
  const FeatureMatrix x = testing::sparse_from_rows(reference.x);
  const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, reference.treatment, 2,
                                       reference.values.at("logistic_C").get<double>());
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.intercepts[0], reference.values.at("logistic_intercept").get<double>(),
              kReferenceError);
  const std::vector<double> coefficients = vector_of(reference.values.at("logistic_coefficients"));
  ASSERT_EQ(fit.coefficients.cols(), coefficients.size());
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    EXPECT_NEAR(fit.coefficients(0, j), coefficients[j], kReferenceError);
  }
  const std::vector<double> probability = vector_of(reference.values.at("logistic_probability"));
  ASSERT_EQ(x.rows(), probability.size());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(probability_of_one(fit, x.row(i)), probability[i], kReferenceError);
  }
}

TEST(RegressionsFixture, LogisticRegressionIsAtTheMinimum) {
  const Reference reference;
  const FeatureMatrix x = testing::sparse_from_rows(reference.x);
  const double c = reference.values.at("logistic_C").get<double>();
  const LogisticFit fit = fit_logistic(Context({.threads = 1}), x, reference.treatment, 2, c);
  std::vector<double> gradient(fit.coefficients.values().begin(), fit.coefficients.values().end());
  double intercept_gradient = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double slope = c * (probability_of_one(fit, x.row(i)) - reference.treatment[i]);
    intercept_gradient += slope;
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += slope * reference.x[i][j];
  }
  EXPECT_NEAR(intercept_gradient, 0, 1e-6);
  for (const double component : gradient) EXPECT_NEAR(component, 0, 1e-6);
}

}  // namespace
}  // namespace cone
