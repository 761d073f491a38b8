#include "simulate/network_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cone/simulate.hpp"

#include "simulate/alias_table.hpp"
#include "simulate/network_streams.hpp"

namespace cone {
namespace {

/// Fills `out` with a draw from Dirichlet(concentration); uniform where all gammas underflow.
void draw_dirichlet(Rng& rng, std::span<const double> concentration, std::span<double> out) {
  double total = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = rng.gamma(concentration[k]);
    total += out[k];
  }
  if (total < std::numeric_limits<double>::min()) {
    std::ranges::fill(out, 1.0);
    total = static_cast<double>(out.size());
  }
  for (double& share : out) share /= total;
}

/// Word distribution of every topic: Zipf over the topic's own order of the vocabulary.
std::vector<AliasTable> draw_topic_words(const Context& context, const NetworkOptions& options) {
  std::vector<AliasTable> tables(options.topics);
  context.for_each_range(options.topics, 1, [&](std::size_t topic, std::size_t) {
    Rng rng(context.seed(), Stream::kWords, network_item(NetworkDraw::kWordOrder, topic));
    // Sorting exponential variables of rate 1 / (1 + index) gives a Plackett–Luce order.
    std::vector<double> time(options.words);
    for (std::size_t w = 0; w < time.size(); ++w) {
      time[w] = rng.exponential() * static_cast<double>(w + 1);
    }
    std::vector<std::uint32_t> order(options.words);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return time[a] != time[b] ? time[a] < time[b] : a < b;
    });
    std::vector<double> probability(options.words);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      probability[order[rank]] = std::pow(static_cast<double>(rank + 1), -options.zipf_exponent);
    }
    tables[topic] = AliasTable(probability);
  });
  return tables;
}

/// The finished rows of a range of nodes, in 6 bytes per entry.
struct Rows {
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> columns;
  std::vector<std::uint16_t> counts;
};

/// Draws the words of one node after another, with scratch space for the counts.
class WordDrawer {
 public:
  WordDrawer(const NetworkOptions& options, std::span<const AliasTable> topic_words)
      : options_(options), topic_words_(topic_words), count_(options.words, 0) {}

  void draw_row(Rng rng, std::span<const double> topics, Rows& out) {
    cumulative_.resize(topics.size());
    std::partial_sum(topics.begin(), topics.end(), cumulative_.begin());
    const std::size_t wanted = draw_num_words(rng);
    // A node of one narrow topic may run out of new words: bound the number of draws.
    constexpr std::size_t kMaxTokensPerWord = 16;
    seen_.clear();
    for (std::size_t token = 0; seen_.size() < wanted && token < wanted * kMaxTokensPerWord;
         ++token) {
      const std::uint32_t word = topic_words_[draw_topic(rng)].draw(rng);
      if (count_[word]++ == 0) seen_.push_back(word);
    }
    std::ranges::sort(seen_);
    out.sizes.push_back(static_cast<std::uint32_t>(seen_.size()));
    for (const std::uint32_t word : seen_) {
      out.columns.push_back(word);
      out.counts.push_back(static_cast<std::uint16_t>(
          std::min<std::uint32_t>(count_[word], std::numeric_limits<std::uint16_t>::max())));
      count_[word] = 0;
    }
  }

 private:
  std::size_t draw_num_words(Rng& rng) const {
    constexpr double kLogSpread = 0.55;  // matches the 10 % and 90 % quantiles of BlogCatalog
    const double wanted = options_.words_per_node *
                          std::exp(kLogSpread * rng.normal() - 0.5 * kLogSpread * kLogSpread);
    return static_cast<std::size_t>(std::clamp(std::round(wanted), 1.0, options_.words / 2.0));
  }

  std::size_t draw_topic(Rng& rng) const {
    const double u = rng.uniform() * cumulative_.back();
    const auto found = std::ranges::upper_bound(cumulative_, u) - cumulative_.begin();
    // u may round up to the total.
    return std::min(static_cast<std::size_t>(found), cumulative_.size() - 1);
  }

  const NetworkOptions& options_;
  std::span<const AliasTable> topic_words_;
  std::vector<std::uint32_t> count_;  // of every word in the current row, 0 between rows
  std::vector<std::uint32_t> seen_;
  std::vector<double> cumulative_;
};

}  // namespace

Matrix<double> draw_topics(const Context& context, const NetworkOptions& options,
                           std::span<const std::uint32_t> community) {
  constexpr double kProfileConcentration = 0.2;  // a community concentrates on a few topics
  constexpr double kNodeConcentration = 5;
  constexpr double kShared = 0.15;  // weight of the uniform distribution in a node's prior
  Matrix<double> prior(options.communities, options.topics);
  const std::vector<double> flat(options.topics, kProfileConcentration);
  for (std::size_t g = 0; g < prior.rows(); ++g) {
    Rng rng(context.seed(), Stream::kNetwork, network_item(NetworkDraw::kProfile, g));
    draw_dirichlet(rng, flat, prior.row(g));
    for (double& share : prior.row(g)) {
      share = kNodeConcentration * ((1.0 - kShared) * share + kShared / options.topics);
    }
  }
  Matrix<double> topics(options.nodes, options.topics);
  constexpr std::size_t kNodesPerPiece = 1024;
  context.for_each_range(options.nodes, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng(context.seed(), Stream::kNetwork, network_item(NetworkDraw::kTopics, i));
      draw_dirichlet(rng, prior.row(community[i]), topics.row(i));
    }
  });
  return topics;
}

SparseMatrix draw_words(const Context& context, const NetworkOptions& options,
                        MatrixView<const double> topics) {
  const std::vector<AliasTable> topic_words = draw_topic_words(context, options);
  constexpr std::size_t kNodesPerPiece = 4096;
  std::vector<Rows> pieces = context.map_ranges<Rows>(
      topics.rows(), kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
        Rows rows;
        WordDrawer drawer(options, topic_words);
        for (std::size_t i = begin; i < end; ++i) {
          const Rng rng(context.seed(), Stream::kWords, network_item(NetworkDraw::kTokens, i));
          drawer.draw_row(rng, topics.row(i), rows);
        }
        return rows;
      });

  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(topics.rows() + 1);
  for (const Rows& piece : pieces) {
    for (const std::uint32_t size : piece.sizes) offsets.push_back(offsets.back() + size);
  }
  std::vector<std::uint32_t> columns(offsets.back());
  std::vector<double> values(offsets.back());
  context.for_each_range(pieces.size(), 1, [&](std::size_t p, std::size_t) {
    const auto start = static_cast<std::ptrdiff_t>(offsets[p * kNodesPerPiece]);
    std::ranges::copy(pieces[p].columns, columns.begin() + start);
    std::ranges::copy(pieces[p].counts, values.begin() + start);
    pieces[p] = {};  // frees it, to lower the memory peak
  });
  return {options.words, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace cone
