#include "nuisance/never_given.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cone {
namespace {

constexpr std::size_t kFewValues = 20;
constexpr double kLeastTail = 0.05;
constexpr double kChanceOfNobody = 0.01;
constexpr double kShareAmongTheKind = 0.5;  // of the arm's share among all nodes
constexpr std::size_t kMostSentences = 3;

/// A kind of nodes without a member in an arm.
struct Kind {
  Arm arm;
  std::size_t size;
  std::string name;
};

class KindSearch {
 public:
  KindSearch(const Context& context, const Dataset& data)
      : context_(context),
        data_(data),
        sizes_(data.arm_sizes()),
        is_never_(data.num_nodes(), data.num_arms()) {
    const auto num_tests = static_cast<double>(2 * data.features.names.size() * data.num_arms());
    log_chance_ = std::log(kChanceOfNobody / std::max(1.0, num_tests));
  }

  void search() {
    const FeatureTable& features = data_.features;
    Matrix<double> dense(features.num_dense, data_.num_nodes());
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
        if (column < features.num_dense) dense(column, i) = value;
      });
    }
    for (std::size_t c = 0; c < features.num_dense; ++c) look_at_column(c, dense.row(c));
    if (features.num_counts() > 0) look_at_words();
  }
  std::vector<Kind> kinds;
  Matrix<unsigned char>& is_never() { return is_never_; }

 private:
  /// Whether chance does not explain that nobody of so many has the arm.
  bool is_surprising(std::size_t num_nodes, std::size_t arm) const {
    const double share = static_cast<double>(sizes_[arm]) / static_cast<double>(data_.num_nodes());
    return static_cast<double>(num_nodes) * std::log1p(-kShareAmongTheKind * share) < log_chance_;
  }
  void add(std::size_t arm, std::span<const NodeIndex> nodes, const std::string& name) {
    kinds.push_back({static_cast<Arm>(arm), nodes.size(), name});
    for (const NodeIndex i : nodes) is_never_(i, arm) = 1;
  }

  void look_at_column(std::size_t c, std::span<const double> value) {
    const std::size_t n = value.size();
    std::vector<NodeIndex> order(n);
    std::iota(order.begin(), order.end(), NodeIndex{0});
    std::sort(order.begin(), order.end(),
              [&](NodeIndex a, NodeIndex b) { return value[a] < value[b]; });
    context_.poll();
    std::vector<std::size_t> starts;
    for (std::size_t k = 0; k < n && starts.size() <= kFewValues; ++k) {
      if (k == 0 || value[order[k]] != value[order[k - 1]]) starts.push_back(k);
    }
    const std::string name = printable(data_.features.names[c]);
    const std::span<const NodeIndex> nodes(order);
    if (starts.size() == 1) return;
    if (starts.size() <= kFewValues) {
      starts.push_back(n);
      for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        look_at_value(nodes.subspan(starts[s], starts[s + 1] - starts[s]),
                      fmt::format("with {} = {:.4g}", name, value[order[starts[s]]]));
      }
      return;
    }
    for (std::size_t a = 0; a < data_.num_arms(); ++a) look_at_tails(a, nodes, value, name);
  }
  void look_at_value(std::span<const NodeIndex> nodes, const std::string& name) {
    std::vector<std::size_t> counts(data_.num_arms(), 0);
    for (const NodeIndex i : nodes) ++counts[data_.treatment[i]];
    for (std::size_t a = 0; a < counts.size(); ++a) {
      if (counts[a] == 0 && is_surprising(nodes.size(), a)) add(a, nodes, name);
    }
  }
  /// `order` is by rising value. Nodes that share the outermost value of the arm are not beyond it.
  void look_at_tails(std::size_t arm, std::span<const NodeIndex> order,
                     std::span<const double> value, const std::string& name) {
    const auto has_arm = [&](NodeIndex i) { return data_.treatment[i] == arm; };
    const auto lowest = std::find_if(order.begin(), order.end(), has_arm);
    if (lowest == order.end()) return;
    const auto highest = std::find_if(order.rbegin(), order.rend(), has_arm);
    const double low = value[*lowest];
    const double high = value[*highest];
    const auto by_value = [&](NodeIndex i) { return value[i]; };
    const auto below = std::ranges::lower_bound(order, low, {}, by_value) - order.begin();
    const auto above = order.end() - std::ranges::upper_bound(order, high, {}, by_value);
    const auto consider = [&](std::span<const NodeIndex> tail, const char* where, double bound) {
      const auto least = kLeastTail * static_cast<double>(order.size());
      if (static_cast<double>(tail.size()) >= least && is_surprising(tail.size(), arm)) {
        add(arm, tail, fmt::format("with {} {} {:.4g}", name, where, bound));
      }
    };
    consider(order.first(static_cast<std::size_t>(below)), "below", low);
    consider(order.last(static_cast<std::size_t>(above)), "above", high);
  }

  template <class Visit>
  void for_each_word(std::size_t node, const Visit& visit) const {
    const std::size_t first = data_.features.num_dense;
    data_.features.matrix.row(node).for_each([&](std::uint32_t column, double value) {
      if (column >= first && value != 0) visit(column - first);
    });
  }
  void look_at_words() {
    const std::size_t arms = data_.num_arms();
    const std::size_t num_words = data_.features.num_counts();
    Matrix<std::uint32_t> members(num_words, arms);
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      if (i % 4096 == 0) context_.poll();
      for_each_word(i, [&](std::size_t w) { ++members(w, data_.treatment[i]); });
    }
    // Which words keep an arm from all who have them, and from all who lack them.
    Matrix<unsigned char> bars_having(num_words, arms);
    Matrix<unsigned char> bars_lacking(num_words, arms);
    std::vector<std::size_t> num_lacking(arms, 0);
    for (std::size_t w = 0; w < num_words; ++w) {
      const std::string name = printable(data_.features.names[data_.features.num_dense + w]);
      const auto of_word = members.row(w);
      const std::size_t having = std::accumulate(of_word.begin(), of_word.end(), std::size_t{0});
      for (std::size_t a = 0; a < arms; ++a) {
        if (of_word[a] == 0 && is_surprising(having, a)) {
          bars_having(w, a) = 1;
          kinds.push_back({static_cast<Arm>(a), having, "with " + name});
        }
        const std::size_t lacking = data_.num_nodes() - having;
        if (of_word[a] == sizes_[a] && is_surprising(lacking, a)) {
          bars_lacking(w, a) = 1;
          ++num_lacking[a];
          kinds.push_back({static_cast<Arm>(a), lacking, "without " + name});
        }
      }
    }
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      if (i % 4096 == 0) context_.poll();
      std::vector<std::size_t> left = num_lacking;
      for_each_word(i, [&](std::size_t w) {
        for (std::size_t a = 0; a < arms; ++a) {
          if (bars_having(w, a) != 0) is_never_(i, a) = 1;
          left[a] -= bars_lacking(w, a);
        }
      });
      for (std::size_t a = 0; a < arms; ++a) {
        if (left[a] > 0) is_never_(i, a) = 1;
      }
    }
  }

  const Context& context_;
  const Dataset& data_;
  std::vector<std::size_t> sizes_;
  double log_chance_ = 0;
  Matrix<unsigned char> is_never_;
};

}  // namespace

Matrix<unsigned char> take_scored(const NeverGiven& never, std::span<const NodeIndex> nodes) {
  Matrix<unsigned char> rows(nodes.size(), never.is_never.cols());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    std::ranges::copy(never.is_never.row(nodes[k]), rows.row(k).begin());
  }
  return rows;
}

NeverGiven find_never_given(const Context& context, const Dataset& data) {
  KindSearch search(context, data);
  search.search();
  std::vector<Kind>& kinds = search.kinds;
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const Kind& a, const Kind& b) { return a.size > b.size; });
  NeverGiven out{std::move(search.is_never()), {}};
  for (const Kind& kind : kinds) {
    if (out.sentences.size() == kMostSentences) {
      out.sentences.push_back(
          fmt::format("and so for {} more kinds of nodes", kinds.size() - kMostSentences));
      break;
    }
    out.sentences.push_back(fmt::format(
        "nobody {} ({} of {} nodes) was given arm {}: what it would do to them is a "
        "guess; leave them out of the policy, or out of the data",
        kind.name, grouped(kind.size), grouped(data.num_nodes()), printable(data.arms[kind.arm])));
  }
  return out;
}

}  // namespace cone
