#include "simulate/topic_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "simulate/topic_model_corpus.hpp"

namespace cone {
namespace {

using testing::PlantedCorpus;
using testing::sparse_counts;

TopicModelOptions planted_options(int passes = 30) {
  return {.topics = 5, .passes = passes, .document_prior = 0.1, .word_prior = 0.1};
}

// The least mean L1 distance between topics over all matchings.
double matched_distance(const Matrix<double>& found, const Matrix<double>& truth,
                        std::vector<std::size_t>* matching = nullptr) {
  std::vector<std::size_t> order(truth.rows());
  std::iota(order.begin(), order.end(), 0U);
  double least = std::numeric_limits<double>::infinity();
  do {
    double distance = 0;
    for (std::size_t k = 0; k < truth.rows(); ++k) {
      for (std::size_t w = 0; w < truth.cols(); ++w) {
        distance += std::abs(found(order[k], w) - truth(k, w));
      }
    }
    if (distance < least) {
      least = distance;
      if (matching != nullptr) *matching = order;
    }
  } while (std::ranges::next_permutation(order).found);
  return least / static_cast<double>(truth.rows());
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(TopicModel, RecoversPlantedTopicsAndTheTopicsOfDocuments) {
  const PlantedCorpus corpus;
  const SparseMatrix counts = corpus.draw(1);
  const Context context({.seed = 4, .threads = 2});
  const TopicModel model = fit_topic_model(context, counts, planted_options());
  std::vector<std::size_t> matching;
  EXPECT_LT(matched_distance(model.word_distributions(), corpus.topics(), &matching), 0.08);
  const Matrix<double> topics = model.transform(context, counts);
  double mean_share = 0;
  for (std::size_t i = 0; i < topics.rows(); ++i) {
    mean_share += topics(i, matching[corpus.main_topic(i)]) / static_cast<double>(topics.rows());
  }
  // 0.8 of the words, and a fifth of the rest.
  EXPECT_NEAR(mean_share, 0.84, 0.02);
}

TEST(TopicModel, IsBitwiseEqualAtAnyNumberOfThreads) {
  const SparseMatrix counts = PlantedCorpus().draw(2);
  const auto run = [&](int threads) {
    const Context context({.seed = 9, .threads = threads});
    const TopicModel model = fit_topic_model(context, counts, planted_options(5));
    Matrix<double> topics = model.transform(context, counts);
    return std::tuple(std::vector<double>(model.topic_word().data(),
                                          model.topic_word().data() + 5 * model.num_words()),
                      std::vector<double>(topics.values().begin(), topics.values().end()),
                      model.perplexity(context, counts));
  };
  const auto reference = run(1);
  EXPECT_EQ(run(2), reference);
  EXPECT_EQ(run(5), reference);
}

TEST(TopicModel, DependsOnTheSeed) {
  const SparseMatrix counts = PlantedCorpus().draw(2);
  const auto first_value = [&](std::uint64_t seed) {
    return fit_topic_model(Context({.seed = seed, .threads = 1}), counts, planted_options(1))
        .topic_word()(0, 0);
  };
  EXPECT_EQ(first_value(1), first_value(1));
  EXPECT_NE(first_value(1), first_value(2));
}

TEST(TopicModel, PermutingDocumentsPermutesTheirTopics) {
  const SparseMatrix counts = PlantedCorpus().draw(3);
  const std::vector<std::uint32_t> order =
      Rng(5, Stream::kTest).permutation(static_cast<std::uint32_t>(counts.rows()));
  const SparseMatrix permuted = counts.select_rows(order);
  const Context context({.seed = 1, .threads = 2});
  const auto topics = [&](const SparseMatrix& documents) {
    return fit_topic_model(context, documents, planted_options()).transform(context, documents);
  };
  const Matrix<double> original = topics(counts);
  const Matrix<double> moved = topics(permuted);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_LT(largest_difference(moved.row(i), original.row(order[i])), 1e-3);
  }
}

TEST(TopicModel, MorePassesDoNotWorsenThePerplexityNoticeably) {
  const SparseMatrix counts = PlantedCorpus().draw(4);
  const Context context({.seed = 2, .threads = 2});
  double previous = std::numeric_limits<double>::infinity();
  for (const int passes : {1, 2, 4, 8, 16, 32}) {
    const double perplexity =
        fit_topic_model(context, counts, planted_options(passes)).perplexity(context, counts);
    EXPECT_LT(perplexity, previous * 1.002) << passes << " passes";
    previous = perplexity;
  }
  // Exact topics of 12 words with these weights have about 10 equally likely words each.
  EXPECT_LT(previous, 35);
}

TEST(TopicModel, PredictsHeldOutDocumentsBetterThanAUniformGuess) {
  const PlantedCorpus corpus;
  const Context context({.seed = 3, .threads = 2});
  const TopicModel model = fit_topic_model(context, corpus.draw(5), planted_options());
  EXPECT_LT(model.perplexity(context, corpus.draw(6)),
            0.6 * static_cast<double>(model.num_words()));
}

TEST(TopicModel, TopicsOfADocumentSumToOneAndWithoutWordsAreUniform) {
  Matrix<double> dense(40, 10);
  Rng rng(8, Stream::kTest);
  for (double& value : dense.values()) value = static_cast<double>(rng.below(3));
  for (double& value : dense.row(7)) value = 0;
  const SparseMatrix counts = sparse_counts(dense);
  const Context context({.threads = 2});
  const TopicModel model = fit_topic_model(context, counts, {.topics = 3});
  const Matrix<double> topics = model.transform(context, counts);
  for (std::size_t i = 0; i < topics.rows(); ++i) EXPECT_NEAR(sum(topics.row(i)), 1.0, 1e-12);
  for (const double share : topics.row(7)) EXPECT_NEAR(share, 1.0 / 3, 1e-12);
  const SparseMatrix only_empty(10, {0, 0}, {}, {});
  EXPECT_NEAR(model.transform(context, only_empty)(0, 1), 1.0 / 3, 1e-12);
}

TEST(TopicModel, WordsThatNeverOccurKeepThePriorAndCanBeScored) {
  Matrix<double> dense(30, 6);
  Rng rng(2, Stream::kTest);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t w = 0; w < 5; ++w) dense(i, w) = static_cast<double>(1 + rng.below(4));
  }
  const Context context({.threads = 1});
  // A prior this small underflows in single precision.
  const TopicModelOptions options{.topics = 2, .document_prior = 1e-3, .word_prior = 1e-3};
  const TopicModel model = fit_topic_model(context, sparse_counts(dense), options);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_FLOAT_EQ(model.topic_word()(k, 5), 1e-3F);
  Matrix<double> unseen(1, 6);
  unseen(0, 5) = 3;
  const Matrix<double> topics = model.transform(context, sparse_counts(unseen));
  EXPECT_NEAR(topics(0, 0) + topics(0, 1), 1.0, 1e-12);
  EXPECT_TRUE(std::isfinite(model.document_parameters(context, sparse_counts(unseen))(0, 0)));
}

TEST(TopicModel, OneTopicIsTheSmoothedWordFrequency) {
  Matrix<double> dense(2, 3);
  dense(0, 0) = 4;
  dense(0, 1) = 1;
  dense(1, 1) = 2;
  const TopicModel model = fit_topic_model(Context({.threads = 1}), sparse_counts(dense),
                                           {.topics = 1, .word_prior = 0.5});
  EXPECT_FLOAT_EQ(static_cast<float>(model.topic_word()(0, 0)), 4.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(model.topic_word()(0, 1)), 3.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(model.topic_word()(0, 2)), 0.5F);
  EXPECT_NEAR(sum(model.word_distributions().row(0)), 1.0, 1e-12);
}

TEST(TopicModel, TopWordsDescendWithTiesByIndex) {
  Matrix<double> topic_word(2, 5, 1.0);
  topic_word(0, 3) = 7;
  topic_word(0, 4) = 2;
  topic_word(1, 2) = 9;
  const TopicModel model(topic_word, 0.5, 0.5);
  EXPECT_EQ(model.top_words(0, 4), (std::vector<std::uint32_t>{3, 4, 0, 1}));
  EXPECT_EQ(model.top_words(1, 99).size(), 5U);
  EXPECT_EQ(model.union_of_top_words(2), (std::vector<std::uint32_t>{0, 2, 3, 4}));
}

TEST(TopicModel, ListsEveryBadCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const SparseMatrix counts(3, {0, 2, 5}, {0, 2, 0, 1, 2}, {1, -1, nan, 2, infinity});
  try {
    fit_topic_model(Context({.threads = 1}), counts, {});
    FAIL() << "bad counts were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_EQ(error.faults()[0].place.item, "document 0, word 2");
  }
}

TEST(TopicModel, RejectsACorpusWithoutWordsAndAnotherVocabulary) {
  const Context context({.threads = 1});
  EXPECT_THROW(fit_topic_model(context, SparseMatrix(2, {0, 1, 1}, {0}, {0.0}), {}), Error);
  EXPECT_THROW(fit_topic_model(context, SparseMatrix(), {}), Error);
  const SparseMatrix counts(2, {0, 1}, {0}, {1.0});
  const TopicModel model = fit_topic_model(context, counts, {.topics = 2});
  EXPECT_THROW(model.transform(context, SparseMatrix(3, {0, 1}, {0}, {1.0})), Error);
  EXPECT_THROW(model.perplexity(context, SparseMatrix(2, {0, 0}, {}, {})), Error);
  EXPECT_THROW(fit_topic_model(context, counts, {.topics = 0}), Error);
}

class StopAfter : public ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    if (phase.empty()) return true;  // asked before there was anything to report
    EXPECT_EQ(phase, "fitting topics");
    EXPECT_EQ(total, 10U);
    last_ = done;
    return done < 3;
  }
  std::uint64_t last() const { return last_; }

 private:
  std::uint64_t last_ = 0;
};

TEST(TopicModel, StopsBetweenPassesWhenTheObserverAsks) {
  StopAfter observer;
  const Context context({.threads = 1, .progress = &observer});
  EXPECT_THROW(fit_topic_model(context, PlantedCorpus().draw(1), {.topics = 5, .passes = 10}),
               Cancelled);
  EXPECT_EQ(observer.last(), 3U);
}

}  // namespace
}  // namespace cone
