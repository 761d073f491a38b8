#include <cmath>
#include <fstream>
#include <vector>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cone/error.hpp"

#include "simulate/topic_model.hpp"
#include "simulate/topic_model_corpus.hpp"

namespace cone {
namespace {

Matrix<double> matrix_of(const nlohmann::json& rows) {
  Matrix<double> out(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t j = 0; j < out.cols(); ++j) out(i, j) = rows[i][j].get<double>();
  }
  return out;
}

// The formula of the header, term by term: a logarithm of a sum of exponentials for every count.
double slow_bound(const TopicModel& model, const Matrix<double>& counts,
                  const Matrix<double>& document_parameters) {
  const auto expected_log = [](std::span<const double> g, std::size_t j) {
    double total = 0;
    for (const double value : g) total += value;
    return boost::math::digamma(g[j]) - boost::math::digamma(total);
  };
  const auto prior_term = [&](double a, std::span<const double> g) {
    double total = 0;
    double term = 0;
    for (std::size_t j = 0; j < g.size(); ++j) {
      total += g[j];
      term += (a - g[j]) * expected_log(g, j) + boost::math::lgamma(g[j]) - boost::math::lgamma(a);
    }
    return term + boost::math::lgamma(a * static_cast<double>(g.size())) -
           boost::math::lgamma(total);
  };
  double bound = 0;
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    for (std::size_t w = 0; w < counts.cols(); ++w) {
      double probability = 0;
      for (std::size_t k = 0; k < model.num_topics(); ++k) {
        probability += std::exp(expected_log(document_parameters.row(i), k) +
                                expected_log(model.topic_word().row(k), w));
      }
      bound += counts(i, w) * std::log(probability);
    }
    bound += prior_term(model.document_prior(), document_parameters.row(i));
  }
  for (std::size_t k = 0; k < model.num_topics(); ++k) {
    bound += prior_term(model.word_prior(), model.topic_word().row(k));
  }
  return bound;
}

TEST(TopicModelBound, EqualsTheFormulaTermByTerm) {
  Rng rng(3, Stream::kTest);
  Matrix<double> topic_word(4, 15);
  for (double& value : topic_word.values()) value = 0.05 + 3 * rng.exponential();
  Matrix<double> counts(6, 15);
  for (double& value : counts.values()) value = static_cast<double>(rng.below(3));
  Matrix<double> parameters(6, 4);
  for (double& value : parameters.values()) value = 0.1 + 5 * rng.uniform();
  const TopicModel model(topic_word, 0.2, 0.07);
  const double expected = slow_bound(model, counts, parameters);
  EXPECT_NEAR(
      model.bound(Context({.threads = 2}), testing::sparse_counts(counts), parameters.view()),
      expected, 1e-11 * std::abs(expected));
}

TEST(TopicModelBound, SurvivesTopicsThatShareNothing) {
  // exp(ψ(0.001)) underflows even in double precision.
  Matrix<double> topic_word(2, 2, 1e-3);
  topic_word(0, 0) = topic_word(1, 1) = 100;
  Matrix<double> parameters(1, 2, 1e-3);
  parameters(0, 0) = 5;
  Matrix<double> counts(1, 2);
  counts(0, 1) = 1;
  const TopicModel model(topic_word, 1e-3, 1e-3);
  const auto elog = [](double x, double total) {
    return boost::math::digamma(x) - boost::math::digamma(total);
  };
  const double through_first = elog(5, 5.001) + elog(1e-3, 100.001);
  const double through_second = elog(1e-3, 5.001) + elog(100, 100.001);
  const double top = std::max(through_first, through_second);
  const double expected =
      top + std::log(std::exp(through_first - top) + std::exp(through_second - top));
  const Matrix<double> no_words(1, 2);
  const Context context({.threads = 1});
  const double difference =
      model.bound(context, testing::sparse_counts(counts), parameters.view()) -
      model.bound(context, testing::sparse_counts(no_words), parameters.view());
  EXPECT_NEAR(difference, expected, 1e-8);
}

// The reference file is written by make_topic_model_reference.py.
class ScikitLearnReference : public ::testing::TestWithParam<const char*> {};

TEST_P(ScikitLearnReference, BoundAndPerplexityAreEqual) {
  std::ifstream in(CONE_SOURCE_DIR "/tests/simulate/topic_model_reference.json");
  const nlohmann::json reference = nlohmann::json::parse(in);
  const nlohmann::json& expected = reference.at(GetParam());
  const TopicModel model(matrix_of(reference.at("topic_word")),
                         reference.at("document_prior").get<double>(),
                         reference.at("word_prior").get<double>());
  const SparseMatrix counts = testing::sparse_counts(matrix_of(expected.at("counts")));
  const Matrix<double> parameters = matrix_of(expected.at("document_parameters"));
  const Context context({.threads = 2});
  const auto bound = expected.at("bound").get<double>();
  // scikit-learn's own digamma is right to nine digits.
  EXPECT_NEAR(model.bound(context, counts, parameters.view()), bound, 5e-9 * std::abs(bound));
  // Through our own E-step, which stops at another point near the same optimum.
  const auto perplexity = expected.at("perplexity").get<double>();
  EXPECT_NEAR(model.perplexity(context, counts) / perplexity, 1.0, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Documents, ScikitLearnReference, ::testing::Values("training", "held_out"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace cone
