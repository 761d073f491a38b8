#include "ops/logistic.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

TEST(LogisticLoss, AgreesWithTheFormulaAtEveryLength) {
  for (const std::size_t size : {0U, 1U, 2U, 7U, 8U, 17U, 511U, 512U}) {
    std::vector<double> logits;
    std::vector<double> labels;
    for (std::size_t i = 0; i < size; ++i) {
      logits.push_back(30 * std::sin(1.7 * static_cast<double>(i)));
      labels.push_back(i % 3 == 0 ? 1 : 0);
    }
    double expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      expected += softplus(labels[i] > 0 ? -logits[i] : logits[i]);
    }
    std::vector<double> probability(size);
    EXPECT_NEAR(ops::logistic_loss(logits, labels, probability), expected, 1e-12 * (1 + expected));
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(probability[i], sigmoid(logits[i]), 1e-15 + 1e-14 * sigmoid(logits[i]));
    }
    ops::logistic_loss(logits, labels, logits);  // in place
    EXPECT_EQ(logits, probability);
  }
}

TEST(LogisticLoss, StaysFiniteAtExtremeLogits) {
  const std::vector<double> logits = {1e5, -1e5, 1e5, -1e5, 800, -800, 0, 1e-300};
  const std::vector<double> labels = {1, 0, 0, 1, 1, 0, 1, 0};
  std::vector<double> probability(logits.size());
  EXPECT_NEAR(ops::logistic_loss(logits, labels, probability), 2e5 + 2 * std::log(2.0), 1e-6);
  EXPECT_EQ(probability[0], 1);
  EXPECT_NEAR(probability[1], 0, 1e-300);
  EXPECT_EQ(probability[6], 0.5);
}

TEST(LogisticLoss, AProductOfAsManyRowsAsAllowedDoesNotOverflow) {
  const std::vector<double> logits(ops::kMostLogisticRows, 0.0);
  const std::vector<double> labels(ops::kMostLogisticRows, 1.0);
  std::vector<double> probability(ops::kMostLogisticRows);
  EXPECT_NEAR(ops::logistic_loss(logits, labels, probability), 512 * std::log(2.0), 1e-10);
  const std::vector<double> more(ops::kMostLogisticRows + 1, 0.0);
  std::vector<double> out(more.size());
  EXPECT_THROW(ops::logistic_loss(more, more, out), Error);
}

}  // namespace
}  // namespace cone
