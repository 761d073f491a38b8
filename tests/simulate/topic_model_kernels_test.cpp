#include "../../lab/simulate/topic_model_kernels.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/math/special_functions/digamma.hpp>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "simulate/topic_model.hpp"
#include "simulate/topic_model_corpus.hpp"
#include "support/simd_targets.hpp"

namespace cone::topic_model {
namespace {

// Runs the test once for each instruction set that the machine has.
class TopicModelKernels : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { testing::choose_target(GetParam()); }
  void TearDown() override { testing::choose_target(0); }
  bool fuses_multiply_add() const { return GetParam() <= HWY_AVX2; }
};

INSTANTIATE_TEST_SUITE_P(AllTargets, TopicModelKernels,
                         ::testing::ValuesIn(testing::targets_of_this_machine()),
                         [](const auto& test) { return hwy::TargetName(test.param); });

TEST_P(TopicModelKernels, ExpDigammaAgreesWithBoostOverTheWholeRange) {
  TopicTable x(1, 4096);
  TopicTable out(1, 4096);
  for (std::size_t i = 0; i < 4096; ++i) {
    x.row(0)[i] = static_cast<float>(std::exp(-4.4 + 24.0 * static_cast<double>(i) / 4095));
  }
  exp_digamma(x.row(0), out.row(0));
  const double tolerance = fuses_multiply_add() ? 1e-6 : 1e-5;
  for (std::size_t i = 0; i < 4096; ++i) {
    const double exact = std::exp(boost::math::digamma(static_cast<double>(x.row(0)[i])));
    ASSERT_NEAR(out.row(0)[i] / exact, 1.0, tolerance) << "x = " << x.row(0)[i];
  }
}

TEST_P(TopicModelKernels, ExpDigammaStaysPositiveAndFiniteAtTheEnds) {
  TopicTable x(1, TopicTable::kLanes);
  TopicTable out(1, TopicTable::kLanes);
  const std::vector<float> ends = {1e-30F, 1e-5F, 0.01F, 1e12F, 1e30F};
  for (std::size_t i = 0; i < x.stride(); ++i) x.row(0)[i] = ends[i % ends.size()];
  exp_digamma(x.row(0), out.row(0));
  for (std::size_t i = 0; i < x.stride(); ++i) {
    EXPECT_GT(out.row(0)[i], 0.0F);
    EXPECT_TRUE(std::isfinite(out.row(0)[i]));
  }
}

TEST_P(TopicModelKernels, ResponsibilitiesEqualTheDirectFormulaForAnyLength) {
  constexpr std::size_t kTopics = 37;
  Rng rng(1, Stream::kTest);
  TopicTable table(20, kTopics);
  TopicTable own(2, kTopics);
  for (std::size_t k = 0; k < kTopics; ++k) {
    own.row(0)[k] = static_cast<float>(rng.uniform(0.01, 1));
    for (std::size_t i = 0; i < 20; ++i) table.row(i)[k] = static_cast<float>(rng.uniform());
  }
  for (std::size_t length = 0; length <= 9; ++length) {
    std::vector<std::uint32_t> rows(length);
    std::vector<float> counts(length);
    std::vector<double> expected(kTopics, 0.0);
    for (std::size_t e = 0; e < length; ++e) {
      rows[e] = static_cast<std::uint32_t>(rng.below(20));
      counts[e] = static_cast<float>(1 + rng.below(5));
      double dot = 0;
      for (std::size_t k = 0; k < kTopics; ++k) {
        dot += static_cast<double>(own.row(0)[k]) * table.row(rows[e])[k];
      }
      for (std::size_t k = 0; k < kTopics; ++k) {
        expected[k] += counts[e] * static_cast<double>(table.row(rows[e])[k]) / dot;
      }
    }
    responsibilities(table, {rows, counts}, own.row(0), own.row(1));
    for (std::size_t k = 0; k < own.stride(); ++k) {
      const double value = k < kTopics ? expected[k] : 0.0;
      ASSERT_NEAR(own.row(1)[k], value, 1e-6 * (1 + value)) << "length " << length;
    }
  }
}

TEST_P(TopicModelKernels, FactorsAreRelativeToTheLargestWithPaddingZero) {
  constexpr std::size_t kTopics = 18;
  TopicTable rows(3, kTopics);
  const std::span<float> parameters = rows.row(0), scale = rows.row(1), factors = rows.row(2);
  for (std::size_t k = 0; k < rows.stride(); ++k) parameters[k] = 0.001F + static_cast<float>(k);
  for (std::size_t k = 0; k < kTopics; ++k) scale[k] = 1.0F + static_cast<float>(k % 3);
  refresh_factors(parameters, scale, factors);
  const auto value = [&](std::size_t k) {
    return scale[k] * std::exp(boost::math::digamma(static_cast<double>(parameters[k])));
  };
  EXPECT_EQ(factors[0], kSmallestFactor);
  for (std::size_t k = 1; k < kTopics; ++k) {
    EXPECT_NEAR(factors[k], value(k) / value(kTopics - 1), 2e-6);
  }
  for (std::size_t k = kTopics; k < rows.stride(); ++k) EXPECT_EQ(factors[k], 0.0F);
}

TEST_P(TopicModelKernels, AnUpdateReportsHowFarTheParametersMoved) {
  TopicTable rows(3, 20);
  for (std::size_t k = 0; k < rows.stride(); ++k) {
    rows.row(0)[k] = 2.0F;
    rows.row(1)[k] = static_cast<float>(k);
    rows.row(2)[k] = k % 2 == 0 ? 0.5F + 2.0F * static_cast<float>(k) : 0.0F;
  }
  double expected = 0;
  for (std::size_t k = 1; k < rows.stride(); k += 2) expected += 0.5 + 2.0 * static_cast<double>(k);
  EXPECT_FLOAT_EQ(update_parameters(0.5F, rows.row(0), rows.row(1), rows.row(2)),
                  static_cast<float>(expected));
  EXPECT_EQ(rows.row(2)[19], 38.5F);
}

TEST_P(TopicModelKernels, AFitAgreesWithTheBaselineUpToRounding) {
  const SparseMatrix counts = cone::testing::PlantedCorpus().draw(1);
  const Context context({.seed = 4, .threads = 2});
  const auto fit = [&] { return fit_topic_model(context, counts, {.topics = 5, .passes = 20}); };
  const Matrix<double> chosen = fit().word_distributions();
  testing::choose_target(testing::baseline_target());
  const Matrix<double> baseline = fit().word_distributions();
  for (std::size_t i = 0; i < chosen.values().size(); ++i) {
    ASSERT_NEAR(chosen.values()[i], baseline.values()[i], 1e-5);
  }
}

}  // namespace
}  // namespace cone::topic_model
