#include <algorithm>
#include <functional>
#include <span>

#include "cone/simulate.hpp"

#include "base/random.hpp"
#include "simulate/topic_model.hpp"
#include "simulate/topic_model_kernels.hpp"
#include "simulate/topic_model_parts.hpp"

namespace cone {
namespace {

using namespace topic_model;

double prior_or_default(double prior, int topics) { return prior > 0 ? prior : 1.0 / topics; }

// Nearly uniform, so that the first pass divides every word among all topics. A wider draw (0.5 to
// 1.5) costs 2 % of perplexity on BlogCatalog.
void draw_word_parameters(const Context& context, TopicTable& word_parameters) {
  context.for_each_range(word_parameters.rows(), kWordGrain,
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t w = begin; w < end; ++w) {
                             Rng rng(context.seed(), Stream::kTopicModel, w);
                             for (float& value : word_parameters.row(w)) {
                               value = static_cast<float>(rng.uniform(0.9, 1.1));
                             }
                           }
                         });
}

void update_document_factors(const Context& context, const CountLists& documents,
                             const DocumentInference& inference, TopicTable& document_factors) {
  context.for_each_range(documents.size(), kDocumentGrain, [&](std::size_t begin, std::size_t end) {
    DocumentInference::Scratch scratch(document_factors.num_topics());
    for (std::size_t i = begin; i < end; ++i) {
      inference.infer(documents[i], scratch, document_factors.row(i));
    }
  });
}

// The M-step, word by word: each word sums over its own documents in their order, so no thread
// needs a V × K accumulator and the result does not depend on the threads.
void update_word_parameters(const Context& context, const CountLists& words, double word_prior,
                            const TopicTable& document_factors, const TopicTable& word_factors,
                            TopicTable& word_parameters) {
  // Bounds the rounding of a single-precision sum over the documents of a frequent word.
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(words.size(), kWordGrain, [&](std::size_t begin, std::size_t end) {
    TopicTable scratch(2, word_factors.num_topics());
    const std::span<float> piece = scratch.row(0);
    const std::span<float> total = scratch.row(1);
    for (std::size_t w = begin; w < end; ++w) {
      const auto [documents, counts] = words[w];
      std::ranges::fill(total, 0.0F);
      for (std::size_t first = 0; first < documents.size(); first += kPiece) {
        const std::size_t size = std::min(kPiece, documents.size() - first);
        responsibilities(document_factors,
                         {documents.subspan(first, size), counts.subspan(first, size)},
                         word_factors.row(w), piece);
        std::ranges::transform(total, piece, total.begin(), std::plus<>());
      }
      update_parameters(static_cast<float>(word_prior), word_factors.row(w), total,
                        word_parameters.row(w));
    }
  });
}

Matrix<double> topic_major(const TopicTable& word_parameters) {
  Matrix<double> out(word_parameters.num_topics(), word_parameters.rows());
  for (std::size_t w = 0; w < word_parameters.rows(); ++w) {
    for (std::size_t k = 0; k < out.rows(); ++k) out(k, w) = word_parameters.row(w)[k];
  }
  return out;
}

}  // namespace

TopicModel fit_topic_model(const Context& context, const SparseMatrix& counts,
                           const TopicModelOptions& options) {
  validate(options);
  check_counts(counts);
  check_any_word(counts);
  const auto num_topics = static_cast<std::size_t>(options.topics);
  const double document_prior = prior_or_default(options.document_prior, options.topics);
  const double word_prior = prior_or_default(options.word_prior, options.topics);

  const SparseMatrix counts_by_word = counts.transposed();
  const CountLists documents(counts);
  const CountLists words(counts_by_word);
  TopicTable document_factors(documents.size(), num_topics);
  TopicTable word_factors(words.size(), num_topics);
  TopicTable word_parameters(words.size(), num_topics);
  const DocumentInference inference(word_factors, document_prior, options.document_updates);

  draw_word_parameters(context, word_parameters);
  const auto passes = static_cast<std::uint64_t>(options.passes);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    context.report("fitting topics", pass, passes);
    refresh_word_factors(context, word_parameters, word_factors);
    update_document_factors(context, documents, inference, document_factors);
    update_word_parameters(context, words, word_prior, document_factors, word_factors,
                           word_parameters);
  }
  context.report("fitting topics", passes, passes);
  return TopicModel(topic_major(word_parameters), document_prior, word_prior);
}

}  // namespace cone
