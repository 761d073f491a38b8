#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cone/matrix.hpp"

#include "base/random.hpp"

namespace cone::testing {

inline SparseMatrix sparse_counts(const Matrix<double>& dense) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(dense(i, j));
    }
    offsets.push_back(columns.size());
  }
  return {dense.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

/// Documents of two topics each (weights 0.8 and 0.2), topics that share no word: topic k writes
/// the words k · words_per_topic + j with probability proportional to j + 1.
struct PlantedCorpus {
  std::size_t num_topics = 5;
  std::size_t words_per_topic = 12;
  std::size_t num_documents = 300;
  std::size_t words_per_document = 80;

  Matrix<double> topics() const {
    Matrix<double> out(num_topics, num_topics * words_per_topic);
    const auto total = static_cast<double>(words_per_topic * (words_per_topic + 1)) / 2;
    for (std::size_t k = 0; k < num_topics; ++k) {
      for (std::size_t j = 0; j < words_per_topic; ++j) {
        out(k, k * words_per_topic + j) = static_cast<double>(j + 1) / total;
      }
    }
    return out;
  }
  std::size_t main_topic(std::size_t document) const { return document % num_topics; }

  SparseMatrix draw(std::uint64_t seed) const {
    Matrix<double> counts(num_documents, num_topics * words_per_topic);
    for (std::size_t i = 0; i < num_documents; ++i) {
      Rng rng(seed, Stream::kTest, i);
      const std::size_t second = rng.below(num_topics);
      for (std::size_t n = 0; n < words_per_document; ++n) {
        const std::size_t topic = rng.bernoulli(0.8) ? main_topic(i) : second;
        counts(i, topic * words_per_topic + draw_word(rng)) += 1;
      }
    }
    return sparse_counts(counts);
  }

 private:
  std::size_t draw_word(Rng& rng) const {
    std::uint64_t ticket = rng.below(words_per_topic * (words_per_topic + 1) / 2);
    std::size_t word = 0;
    for (; ticket > word; ++word) ticket -= word + 1;
    return word;
  }
};

}  // namespace cone::testing
