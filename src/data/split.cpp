#include "data/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace cone {
namespace {

std::vector<NodeIndex> random_order(const Dataset& data, std::span<const NodeIndex> nodes,
                                    std::uint64_t seed, Stream stream) {
  std::vector<std::pair<std::uint64_t, NodeIndex>> keyed;
  keyed.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    keyed.emplace_back(Rng(seed, stream, hash64(data.ids[i])).next_u64(), i);
  }
  std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : data.ids[a.second] < data.ids[b.second];
  });
  std::vector<NodeIndex> order;
  order.reserve(keyed.size());
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

std::vector<NodeIndex> all_nodes(const Dataset& data) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  return nodes;
}

/// Moves one arm to the front, keeping the order within each; returns its size. The arm of the
/// first node goes first, so that which arm is called 0 changes nothing.
std::size_t group_by_arm(const Dataset& data, std::vector<NodeIndex>& order) {
  if (order.empty()) return 0;
  const auto middle = std::stable_partition(
      order.begin(), order.end(),
      [&, arm = data.treatment[order.front()]](NodeIndex i) { return data.treatment[i] == arm; });
  return static_cast<std::size_t>(middle - order.begin());
}

void require_log(const Dataset& data) {
  if (data.has_log()) return;
  throw Error(ErrorCode::kData, {{},
                                 "the data has no treatments to stratify by",
                                 "bring treatment and outcome, or do not stratify"});
}

/// The first nodes of the order that belong to each part: {0, end of train, of validation, n}.
using Cuts = std::array<std::int64_t, 4>;

Cuts cut(std::size_t num_nodes, const SplitOptions& options) {
  const auto n = static_cast<double>(num_nodes);
  return {0, std::llround(options.train_fraction * n),
          std::llround((options.train_fraction + options.validation_fraction) * n),
          static_cast<std::int64_t>(num_nodes)};
}

constexpr std::array kPartNames = {"train", "validation", "test"};

/// Appends the nodes of `order` to the parts, or says which of them would go without. `whose`
/// describes the nodes in a fault.
void append_parts(Split& split, std::span<const NodeIndex> order, const SplitOptions& options,
                  const char* whose, std::vector<Fault>& faults) {
  const std::array parts = {&split.train, &split.validation, &split.test};
  const Cuts cuts = cut(order.size(), options);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (cuts[p] == cuts[p + 1]) {
      faults.push_back({{},
                        fmt::format("the {} part would have no {} ({} in all)", kPartNames[p],
                                    whose, order.size()),
                        "change the fractions or bring more nodes"});
    }
    parts[p]->insert(parts[p]->end(), order.begin() + cuts[p], order.begin() + cuts[p + 1]);
  }
}

void check_folds(const Dataset& data, std::span<const NodeIndex> nodes, int num_folds) {
  if (num_folds < 2) {
    throw Error(ErrorCode::kUsage,
                {{}, fmt::format("{} folds were asked for, at least 2 are needed", num_folds), ""});
  }
  const auto needed = static_cast<std::size_t>(num_folds);
  std::vector<Fault> faults;
  const auto check = [&](std::size_t available, const char* whose) {
    if (available >= needed) return;
    faults.push_back({{},
                      fmt::format("{} folds need at least as many {}, there are {}", num_folds,
                                  whose, available),
                      "ask for fewer folds or bring more nodes"});
  };
  if (data.has_log()) {
    const auto num_treated = static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [&](NodeIndex i) { return data.treatment[i] == 1; }));
    check(num_treated, "treated nodes");
    check(nodes.size() - num_treated, "control nodes");
  } else {
    check(nodes.size(), "nodes");
  }
  if (!faults.empty()) throw Error(ErrorCode::kData, std::move(faults));
}

/// Dealing in turn through one arm and then on through the other balances the folds' sizes and
/// their arms at once. The folds are ascending: one pass over all nodes, far cheaper than sorting.
std::vector<std::vector<NodeIndex>> deal(std::span<const NodeIndex> order, int num_folds,
                                         std::size_t num_nodes) {
  std::vector<int> fold_of(num_nodes, -1);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    fold_of[order[rank]] = static_cast<int>(rank % static_cast<std::size_t>(num_folds));
  }
  std::vector<std::vector<NodeIndex>> folds(static_cast<std::size_t>(num_folds));
  for (std::size_t node = 0; node < num_nodes; ++node) {
    if (fold_of[node] < 0) continue;
    folds[static_cast<std::size_t>(fold_of[node])].push_back(static_cast<NodeIndex>(node));
  }
  return folds;
}

}  // namespace

void SplitOptions::check(std::vector<Fault>& faults) const {
  if (train_fraction + validation_fraction >= 1) {
    faults.push_back({{.item = "--train-fraction, --validation-fraction"},
                      fmt::format("add up to {}, which leaves nothing to test on",
                                  train_fraction + validation_fraction),
                      "make their sum less than 1"});
  }
}

Split make_split(const Dataset& data, const SplitOptions& options, std::uint64_t seed) {
  validate(options);
  std::vector<NodeIndex> order = random_order(data, all_nodes(data), seed, Stream::kSplit);
  Split split;
  std::vector<Fault> faults;
  if (options.stratified) {
    require_log(data);
    const std::size_t size_of_first = group_by_arm(data, order);
    const std::span<const NodeIndex> nodes = order;
    const auto name_of = [&](std::span<const NodeIndex> arm) {
      return !arm.empty() && data.treatment[arm[0]] == 1 ? "treated nodes" : "control nodes";
    };
    for (const auto arm : {nodes.first(size_of_first), nodes.subspan(size_of_first)}) {
      append_parts(split, arm, options, name_of(arm), faults);
    }
  } else {
    append_parts(split, order, options, "nodes", faults);
  }
  if (!faults.empty()) throw Error(ErrorCode::kData, std::move(faults));
  for (auto* part : {&split.train, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  return split;
}

std::vector<std::vector<NodeIndex>> make_folds(const Dataset& data, int num_folds, bool stratified,
                                               std::uint64_t seed) {
  const std::vector<NodeIndex> nodes = all_nodes(data);
  if (stratified) return make_folds(data, nodes, num_folds, seed, Stream::kSplit);
  check_folds(data, nodes, num_folds);
  return deal(random_order(data, nodes, seed, Stream::kSplit), num_folds, data.num_nodes());
}

std::vector<std::vector<NodeIndex>> make_folds(const Dataset& data,
                                               std::span<const NodeIndex> nodes, int num_folds,
                                               std::uint64_t seed, Stream stream) {
  require_log(data);
  check_folds(data, nodes, num_folds);
  std::vector<NodeIndex> order = random_order(data, nodes, seed, stream);
  group_by_arm(data, order);
  return deal(order, num_folds, data.num_nodes());
}

}  // namespace cone
