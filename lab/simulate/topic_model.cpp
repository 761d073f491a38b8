#include "simulate/topic_model.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {

TopicModel::TopicModel(Matrix<double> topic_word, double document_prior, double word_prior)
    : topic_word_(std::move(topic_word)), document_prior_(document_prior), word_prior_(word_prior) {
  require(num_topics() > 0 && num_words() > 0, "topic model: needs a topic and a word");
  require(document_prior > 0 && word_prior > 0, "topic model: priors must be positive");
  require(std::ranges::all_of(topic_word_.values(), [](double x) { return x > 0; }),
          "topic model: topic-word parameters must be positive");
}

Matrix<double> TopicModel::word_distributions() const {
  Matrix<double> out = topic_word_;
  for (std::size_t k = 0; k < num_topics(); ++k) {
    const double total = sum(topic_word_.row(k));
    for (double& value : out.row(k)) value /= total;
  }
  return out;
}

std::vector<std::uint32_t> TopicModel::top_words(std::size_t topic, std::size_t count) const {
  require(topic < num_topics(), "topic model: no such topic");
  const std::span<const double> weight = topic_word_.row(topic);
  std::vector<std::uint32_t> words(num_words());
  std::iota(words.begin(), words.end(), 0U);
  const auto last = words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size()));
  std::partial_sort(words.begin(), last, words.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weight[a] != weight[b] ? weight[a] > weight[b] : a < b;
  });
  words.erase(last, words.end());
  return words;
}

std::vector<std::uint32_t> TopicModel::union_of_top_words(std::size_t count) const {
  std::vector<std::uint32_t> all;
  for (std::size_t k = 0; k < num_topics(); ++k) {
    const std::vector<std::uint32_t> words = top_words(k, count);
    all.insert(all.end(), words.begin(), words.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace cone
