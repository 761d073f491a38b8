#include "nuisance/never_given.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"

namespace cone {
namespace {

constexpr std::size_t kFewValues = 20;
constexpr double kLeastTail = 0.05;
constexpr double kChanceOfNobody = 0.01;
constexpr double kShareAmongTheKind = 0.5;  // of the arm's share among all nodes
constexpr std::size_t kMostSentences = 3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A kind of nodes without a member in an arm.
struct Kind {
  Arm arm;
  double size;
  std::string name;
};

/// The values of a column, ascending, over all processes; none where there are more than a few.
std::vector<double> list_few_values(std::span<const double> column, const Totals& totals) {
  std::vector<double> here;
  for (const double value : column) {
    const auto at = std::ranges::lower_bound(here, value);
    if (at != here.end() && *at == value) continue;
    here.insert(at, value);
    if (here.size() > kFewValues) break;
  }
  if (totals.any(here.size() > kFewValues)) return {};
  if (!totals.has_others()) return here;
  std::vector<double> all;
  while (all.size() <= kFewValues) {
    const auto next = all.empty() ? here.begin() : std::ranges::upper_bound(here, all.back());
    const double least = -totals.allreduce_max(next == here.end() ? -kInfinity : -*next);
    if (least == kInfinity) return all;
    all.push_back(least);
  }
  return {};
}

class KindSearch {
 public:
  KindSearch(const Context& context, const Dataset& data)
      : context_(context),
        data_(data),
        totals_(context.totals()),
        num_nodes_(totals_.count(data.num_nodes())),
        sizes_(data.num_arms(), 0.0),
        is_never_(data.num_nodes(), data.num_arms()) {
    for (const Arm arm : data.treatment) ++sizes_[arm];
    totals_.allreduce(sizes_);
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
  double num_nodes() const { return num_nodes_; }

 private:
  /// Whether chance does not explain that nobody of so many has the arm.
  bool is_surprising(double num_nodes, std::size_t arm) const {
    const double share = sizes_[arm] / num_nodes_;
    return num_nodes * std::log1p(-kShareAmongTheKind * share) < log_chance_;
  }
  /// All nodes whose value belongs to the kind.
  template <class Belongs>
  void add(std::size_t arm, double size, std::string name, std::span<const double> value,
           const Belongs& belongs) {
    kinds.push_back({static_cast<Arm>(arm), size, std::move(name)});
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (belongs(value[i])) is_never_(i, arm) = 1;
    }
  }

  void look_at_column(std::size_t c, std::span<const double> value) {
    context_.poll();
    const std::string name = printable(data_.features.names[c]);
    const std::vector<double> few = list_few_values(value, totals_);
    if (few.size() == 1) return;
    if (!few.empty()) {
      look_at_values(few, value, name);
      return;
    }
    for (std::size_t a = 0; a < data_.num_arms(); ++a) look_at_tails(a, value, name);
  }
  void look_at_values(std::span<const double> few, std::span<const double> value,
                      const std::string& name) {
    Matrix<double> members(few.size(), data_.num_arms());
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto at = std::ranges::lower_bound(few, value[i]) - few.begin();
      ++members(static_cast<std::size_t>(at), data_.treatment[i]);
    }
    totals_.allreduce(members.values());
    for (std::size_t k = 0; k < few.size(); ++k) {
      const double size = sum(members.row(k));
      for (std::size_t a = 0; a < members.cols(); ++a) {
        if (members(k, a) > 0 || !is_surprising(size, a)) continue;
        add(a, size, sentence("with {} = {:.4g}", name, few[k]), value,
            [&](double v) { return v == few[k]; });
      }
    }
  }
  /// Nodes that share the outermost value of the arm are not beyond it.
  void look_at_tails(std::size_t arm, std::span<const double> value, const std::string& name) {
    std::array<double, 2> ends = {-kInfinity, -kInfinity};  // the largest, and of the negated
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (data_.treatment[i] != arm) continue;
      ends[0] = std::max(ends[0], value[i]);
      ends[1] = std::max(ends[1], -value[i]);
    }
    totals_.allreduce_max(ends);
    const double high = ends[0];
    const double low = -ends[1];
    if (low > high) return;  // nobody has the arm
    std::array<double, 2> beyond = {0, 0};
    for (const double v : value) {
      beyond[0] += v < low ? 1 : 0;
      beyond[1] += v > high ? 1 : 0;
    }
    totals_.allreduce(beyond);
    const auto is_kind = [&](double size) {
      return size >= kLeastTail * num_nodes_ && is_surprising(size, arm);
    };
    if (is_kind(beyond[0])) {
      add(arm, beyond[0], sentence("with {} below {:.4g}", name, low), value,
          [&](double v) { return v < low; });
    }
    if (is_kind(beyond[1])) {
      add(arm, beyond[1], sentence("with {} above {:.4g}", name, high), value,
          [&](double v) { return v > high; });
    }
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
    Matrix<double> members(num_words, arms);
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      if (i % 4096 == 0) context_.poll();
      for_each_word(i, [&](std::size_t w) { ++members(w, data_.treatment[i]); });
    }
    totals_.allreduce(members.values());
    // Which words keep an arm from all who have them, and from all who lack them.
    Matrix<unsigned char> bars_having(num_words, arms);
    Matrix<unsigned char> bars_lacking(num_words, arms);
    std::vector<std::size_t> num_lacking(arms, 0);
    for (std::size_t w = 0; w < num_words; ++w) {
      const std::string name = printable(data_.features.names[data_.features.num_dense + w]);
      const auto of_word = members.row(w);
      const double having = sum(of_word);
      for (std::size_t a = 0; a < arms; ++a) {
        if (of_word[a] == 0 && is_surprising(having, a)) {
          bars_having(w, a) = 1;
          kinds.push_back({static_cast<Arm>(a), having, "with " + name});
        }
        const double lacking = num_nodes_ - having;
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
  const Totals& totals_;
  double num_nodes_;
  std::vector<double> sizes_;  // of the arms
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
        kind.name, grouped(static_cast<std::uint64_t>(kind.size)),
        grouped(static_cast<std::uint64_t>(search.num_nodes())), printable(data.arms[kind.arm])));
  }
  return out;
}

}  // namespace cone
