#include "nuisance/positivity_violations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kFewValues = 20;
constexpr double kLeastTail = 0.05;
constexpr double kFalseAlarmRate = 0.01;
constexpr double kAssumedShare = 0.5;  // within the subgroup, of the arm's share among all nodes
constexpr std::size_t kMostSentences = 3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A subgroup of nodes of which none received an arm.
struct Subgroup {
  Arm arm;
  double size;
  std::string name;
};

/// The values of a column, ascending, over all ranks; none where there are more than a few.
std::vector<double> list_few_values(std::span<const double> column, const Communicator& comm) {
  std::vector<double> here;
  for (const double value : column) {
    const auto at = std::ranges::lower_bound(here, value);
    if (at != here.end() && *at == value) continue;
    here.insert(at, value);
    if (here.size() > kFewValues) break;
  }
  if (comm.any(here.size() > kFewValues)) return {};
  if (!comm.has_others()) return here;
  std::vector<double> all;
  while (all.size() <= kFewValues) {
    const auto next = all.empty() ? here.begin() : std::ranges::upper_bound(here, all.back());
    const double least = -comm.allreduce_max(next == here.end() ? -kInfinity : -*next);
    if (least == kInfinity) return all;
    all.push_back(least);
  }
  return {};
}

class SubgroupSearch {
 public:
  SubgroupSearch(const Context& context, const Dataset& data)
      : context_(context),
        data_(data),
        comm_(context.comm()),
        num_nodes_(comm_.count(data.num_nodes())),
        sizes_(data.num_arms(), 0.0),
        is_violated_(data.num_nodes(), data.num_arms()) {
    for (const Arm arm : data.treatment) ++sizes_[arm];
    comm_.allreduce(sizes_);
    const auto num_tests = static_cast<double>(2 * data.features.names.size() * data.num_arms());
    log_level_ = std::log(kFalseAlarmRate / std::max(1.0, num_tests));
  }

  void search() {
    const FeatureTable& features = data_.features;
    Matrix<double> dense(features.num_dense, data_.num_nodes());
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
        if (column < features.num_dense) dense(column, i) = value;
      });
    }
    for (std::size_t c = 0; c < features.num_dense; ++c) check_column(c, dense.row(c));
    if (features.num_counts() > 0) check_counts();
  }
  std::vector<Subgroup> subgroups;
  Matrix<unsigned char>& is_violated() { return is_violated_; }
  double num_nodes() const { return num_nodes_; }

 private:
  /// Whether it is unlikely that none of so many nodes received the arm by chance.
  bool is_surprising(double num_nodes, std::size_t arm) const {
    const double share = sizes_[arm] / num_nodes_;
    return num_nodes * std::log1p(-kAssumedShare * share) < log_level_;
  }
  /// Adds the subgroup of all nodes whose value belongs to it.
  template <class Belongs>
  void add(std::size_t arm, double size, std::string name, std::span<const double> value,
           const Belongs& belongs) {
    subgroups.push_back({static_cast<Arm>(arm), size, std::move(name)});
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (belongs(value[i])) is_violated_(i, arm) = 1;
    }
  }

  void check_column(std::size_t c, std::span<const double> value) {
    context_.poll();
    const std::string name = printable(data_.features.names[c]);
    const std::vector<double> few = list_few_values(value, comm_);
    if (few.size() == 1) return;
    if (!few.empty()) {
      check_values(few, value, name);
      return;
    }
    for (std::size_t a = 0; a < data_.num_arms(); ++a) check_tails(a, value, name);
  }
  void check_values(std::span<const double> few, std::span<const double> value,
                    const std::string& name) {
    Matrix<double> members(few.size(), data_.num_arms());
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto at = std::ranges::lower_bound(few, value[i]) - few.begin();
      ++members(static_cast<std::size_t>(at), data_.treatment[i]);
    }
    comm_.allreduce(members.values());
    for (std::size_t k = 0; k < few.size(); ++k) {
      const double size = sum(members.row(k));
      for (std::size_t a = 0; a < members.cols(); ++a) {
        if (members(k, a) > 0 || !is_surprising(size, a)) continue;
        add(a, size, sentence("with {} = {:.4g}", name, few[k]), value,
            [&](double v) { return v == few[k]; });
      }
    }
  }
  /// Nodes that share the most extreme value of the arm are not beyond it.
  void check_tails(std::size_t arm, std::span<const double> value, const std::string& name) {
    std::array<double, 2> ends = {-kInfinity, -kInfinity};  // the largest, and of the negated
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (data_.treatment[i] != arm) continue;
      ends[0] = std::max(ends[0], value[i]);
      ends[1] = std::max(ends[1], -value[i]);
    }
    comm_.allreduce_max(ends);
    const double high = ends[0];
    const double low = -ends[1];
    if (low > high) return;  // no node received the arm
    std::array<double, 2> beyond = {0, 0};
    for (const double v : value) {
      beyond[0] += v < low ? 1 : 0;
      beyond[1] += v > high ? 1 : 0;
    }
    comm_.allreduce(beyond);
    const auto is_subgroup = [&](double size) {
      return size >= kLeastTail * num_nodes_ && is_surprising(size, arm);
    };
    if (is_subgroup(beyond[0])) {
      add(arm, beyond[0], sentence("with {} below {:.4g}", name, low), value,
          [&](double v) { return v < low; });
    }
    if (is_subgroup(beyond[1])) {
      add(arm, beyond[1], sentence("with {} above {:.4g}", name, high), value,
          [&](double v) { return v > high; });
    }
  }

  template <class Visit>
  void for_each_count(std::size_t node, const Visit& visit) const {
    const std::size_t first = data_.features.num_dense;
    data_.features.matrix.row(node).for_each([&](std::uint32_t column, double value) {
      if (column >= first && value != 0) visit(column - first);
    });
  }
  void check_counts() {
    const std::size_t arms = data_.num_arms();
    const std::size_t num_counts = data_.features.num_counts();
    Matrix<double> members(num_counts, arms);
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      if (i % 4096 == 0) context_.poll();
      for_each_count(i, [&](std::size_t j) { ++members(j, data_.treatment[i]); });
    }
    comm_.allreduce(members.values());
    // Features such that no node with them, or no node without them, received the arm.
    Matrix<unsigned char> violated_with(num_counts, arms);
    Matrix<unsigned char> violated_without(num_counts, arms);
    std::vector<std::size_t> num_without(arms, 0);
    for (std::size_t j = 0; j < num_counts; ++j) {
      const std::string name = printable(data_.features.names[data_.features.num_dense + j]);
      const auto by_arm = members.row(j);
      const double with = sum(by_arm);
      for (std::size_t a = 0; a < arms; ++a) {
        if (by_arm[a] == 0 && is_surprising(with, a)) {
          violated_with(j, a) = 1;
          subgroups.push_back({static_cast<Arm>(a), with, "with " + name});
        }
        const double without = num_nodes_ - with;
        if (by_arm[a] == sizes_[a] && is_surprising(without, a)) {
          violated_without(j, a) = 1;
          ++num_without[a];
          subgroups.push_back({static_cast<Arm>(a), without, "without " + name});
        }
      }
    }
    for (std::size_t i = 0; i < data_.num_nodes(); ++i) {
      if (i % 4096 == 0) context_.poll();
      std::vector<std::size_t> left = num_without;
      for_each_count(i, [&](std::size_t j) {
        for (std::size_t a = 0; a < arms; ++a) {
          if (violated_with(j, a) != 0) is_violated_(i, a) = 1;
          left[a] -= violated_without(j, a);
        }
      });
      for (std::size_t a = 0; a < arms; ++a) {
        if (left[a] > 0) is_violated_(i, a) = 1;
      }
    }
  }

  const Context& context_;
  const Dataset& data_;
  const Communicator& comm_;
  double num_nodes_;
  std::vector<double> sizes_;  // of the arms
  double log_level_ = 0;
  Matrix<unsigned char> is_violated_;
};

}  // namespace

Matrix<unsigned char> take_scored(const PositivityViolations& violations,
                                  std::span<const NodeIndex> nodes) {
  Matrix<unsigned char> rows(nodes.size(), violations.is_violated.cols());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    std::ranges::copy(violations.is_violated.row(nodes[k]), rows.row(k).begin());
  }
  return rows;
}

PositivityViolations find_positivity_violations(const Context& context, const Dataset& data) {
  SubgroupSearch search(context, data);
  search.search();
  std::vector<Subgroup>& subgroups = search.subgroups;
  std::stable_sort(subgroups.begin(), subgroups.end(),
                   [](const Subgroup& a, const Subgroup& b) { return a.size > b.size; });
  PositivityViolations out{std::move(search.is_violated()), {}};
  for (const Subgroup& subgroup : subgroups) {
    if (out.sentences.size() == kMostSentences) {
      out.sentences.push_back(fmt::format("positivity violations in {} more subgroups",
                                          subgroups.size() - kMostSentences));
      break;
    }
    out.sentences.push_back(fmt::format(
        "positivity violation: no node {} ({} of {} nodes) received arm {}, so its effect on them "
        "is extrapolated; exclude them from the policy, or from the data",
        subgroup.name, grouped(static_cast<std::uint64_t>(subgroup.size)),
        grouped(static_cast<std::uint64_t>(search.num_nodes())),
        printable(data.arms[subgroup.arm])));
  }
  return out;
}

}  // namespace cone
