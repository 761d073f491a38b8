#include "data/split.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "base/hash.hpp"
#include "data/arm_labels.hpp"
#include "data/collective_error.hpp"
#include "data/folds_on_ranks.hpp"
#include "data/gather_rows.hpp"

namespace cone {

std::string members_of(std::span<const std::string> arms, Arm arm) {
  if (has_plain_labels(arms)) return arm == 1 ? "treated nodes" : "control nodes";
  return fmt::format("nodes of arm '{}'", printable(arms[arm]));
}

Fault too_few_for_folds(int num_folds, const std::string& whose, std::size_t available,
                        bool is_inside) {
  if (is_inside) {
    return {
        {},
        fmt::format("the {} selection folds within a fold need at least as many {}, but its "
                    "training nodes have {}",
                    num_folds, whose, available),
        fmt::format("{}add nodes, or drop the arm",
                    available >= 2 ? fmt::format("use --selection-folds {}, ", available) : "")};
  }
  return {{},
          fmt::format("{} folds need at least as many {}, but there are {}", num_folds, whose,
                      available),
          "use fewer folds (--folds, --selection-folds), add nodes, or drop the arm"};
}

namespace {

struct KeyedNode {
  std::uint64_t key;
  NodeIndex node;
};

/// Bucket-sorts nodes by the first bits of their random keys, as many as give a few nodes per
/// bucket, so that only short ranges remain to be sorted.
std::vector<KeyedNode> spread_by_key(std::span<const KeyedNode> keyed) {
  constexpr std::size_t kNodesPerBucket = 4;
  const auto bits = static_cast<int>(std::bit_width(keyed.size() / kNodesPerBucket));
  const auto bucket_of = [&](const KeyedNode& entry) {
    return bits == 0 ? std::uint64_t{0} : entry.key >> (64 - bits);
  };
  std::vector<std::size_t> next((std::size_t{1} << bits) + 1, 0);
  for (const KeyedNode& entry : keyed) ++next[bucket_of(entry) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<KeyedNode> spread(keyed.size());
  for (const KeyedNode& entry : keyed) spread[next[bucket_of(entry)]++] = entry;
  return spread;
}

std::vector<NodeIndex> random_order(const Dataset& data, std::span<const NodeIndex> nodes,
                                    std::uint64_t seed, Stream stream) {
  std::vector<KeyedNode> keyed;
  keyed.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    keyed.push_back({Rng(seed, stream, data.hash_of(i)).next_u64(), i});
  }
  keyed = spread_by_key(keyed);
  const auto is_before = [&](const KeyedNode& a, const KeyedNode& b) {
    return a.key != b.key ? a.key < b.key : data.ids[a.node] < data.ids[b.node];
  };
  // Insertion sort: every node is within a few positions of its final one.
  for (std::size_t k = 1; k < keyed.size(); ++k) {
    const KeyedNode entry = keyed[k];
    std::size_t at = k;
    for (; at > 0 && is_before(entry, keyed[at - 1]); --at) keyed[at] = keyed[at - 1];
    keyed[at] = entry;
  }
  std::vector<NodeIndex> order;
  order.reserve(keyed.size());
  for (const KeyedNode& entry : keyed) order.push_back(entry.node);
  return order;
}

std::vector<NodeIndex> all_nodes(const Dataset& data) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  return nodes;
}

/// Groups the nodes by arm, keeping their order; returns the groups. Arms come in the order of
/// their first nodes, so that their labels have no effect.
std::vector<std::span<const NodeIndex>> group_by_arm(const Dataset& data,
                                                     std::vector<NodeIndex>& order) {
  std::vector<std::span<const NodeIndex>> groups;
  auto begin = order.begin();
  while (begin != order.end()) {
    const auto end = std::stable_partition(
        begin, order.end(),
        [&, arm = data.treatment[*begin]](NodeIndex i) { return data.treatment[i] == arm; });
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

void require_treatments(const Dataset& data) {
  if (data.has_log()) return;
  throw Error(ErrorCode::kData, {{},
                                 "the data has no treatments to stratify by",
                                 "give treatment and outcome, or do not stratify"});
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

/// Appends the nodes of `order` to the parts; a fault for a part that would get none. `whose`
/// describes the nodes in a fault.
void append_parts(Split& split, std::span<const NodeIndex> order, const SplitOptions& options,
                  const std::string& whose, std::vector<Fault>& faults) {
  const std::array parts = {&split.train, &split.validation, &split.test};
  const Cuts cuts = cut(order.size(), options);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (cuts[p] == cuts[p + 1]) {
      faults.push_back({{},
                        fmt::format("the {} set would have no {} ({} in total)", kPartNames[p],
                                    whose, order.size()),
                        "change the fractions or add nodes"});
    }
    parts[p]->insert(parts[p]->end(), order.begin() + cuts[p], order.begin() + cuts[p + 1]);
  }
}

void check_folds(const Dataset& data, std::span<const NodeIndex> nodes, int num_folds,
                 bool is_inside) {
  if (num_folds < 2) {
    throw Error(ErrorCode::kUsage,
                {{}, fmt::format("{} folds requested, but at least 2 are needed", num_folds), ""});
  }
  const auto needed = static_cast<std::size_t>(num_folds);
  std::vector<Fault> faults;
  const auto check = [&](std::size_t available, const std::string& whose) {
    if (available >= needed) return;
    faults.push_back(too_few_for_folds(num_folds, whose, available, is_inside));
  };
  if (data.has_log()) {
    std::vector<std::uint64_t> sizes(data.num_arms(), 0);
    for (const NodeIndex i : nodes) ++sizes[data.treatment[i]];
    for (std::uint64_t& size : sizes) size = data.comm().allreduce(size);
    // The control arm comes last.
    for (std::size_t a = 1; a <= sizes.size(); ++a) {
      const auto arm = static_cast<Arm>(a % sizes.size());
      check(sizes[arm], members_of(data.arms, arm));
    }
  } else {
    check(nodes.size(), "nodes");
  }
  if (!faults.empty()) throw Error(ErrorCode::kData, std::move(faults));
}

/// Ascending folds from the fold of every node, −1 for none: one pass, far cheaper than sorting.
std::vector<std::vector<NodeIndex>> gather_folds(std::span<const int> fold_of, int num_folds) {
  std::vector<std::vector<NodeIndex>> folds(static_cast<std::size_t>(num_folds));
  for (std::size_t node = 0; node < fold_of.size(); ++node) {
    if (fold_of[node] < 0) continue;
    folds[static_cast<std::size_t>(fold_of[node])].push_back(static_cast<NodeIndex>(node));
  }
  return folds;
}

/// Round-robin assignment, through one arm and then on through the next, balances both the sizes of
/// the folds and their arms.
std::vector<std::vector<NodeIndex>> assign_in_turn(std::span<const NodeIndex> order, int num_folds,
                                                   std::size_t num_nodes) {
  std::vector<int> fold_of(num_nodes, -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    fold_of[order[k]] = static_cast<int>(k % static_cast<std::size_t>(num_folds));
  }
  return gather_folds(fold_of, num_folds);
}

/// Assigns whole clusters, the largest first, each to the fold that keeps the arms most balanced:
/// errors are correlated within a cluster, so no model may learn from a node's own cluster. Nothing
/// where some fold, or all the others together, would lack an arm.
std::optional<std::vector<std::vector<NodeIndex>>> assign_clusters(const Dataset& data,
                                                                   std::span<const NodeIndex> order,
                                                                   int num_folds) {
  const auto folds = static_cast<std::size_t>(num_folds);
  const std::size_t num_arms = data.num_arms();
  std::vector<std::vector<NodeIndex>> clusters;  // in the order of their first nodes
  std::unordered_map<std::uint32_t, std::size_t> index_of;
  std::vector<double> arm_size(num_arms, 0.0);
  for (const NodeIndex i : order) {
    const auto [found, is_new] = index_of.try_emplace(data.cluster[i], clusters.size());
    if (is_new) clusters.emplace_back();
    clusters[found->second].push_back(i);
    ++arm_size[data.treatment[i]];
  }
  if (clusters.size() < folds) return std::nullopt;
  std::ranges::stable_sort(clusters, std::greater<>(), &std::vector<NodeIndex>::size);
  std::vector<std::vector<double>> count(folds, std::vector<double>(num_arms, 0.0));
  std::vector<int> fold_of(data.num_nodes(), -1);
  for (const std::vector<NodeIndex>& members : clusters) {
    std::vector<double> own(num_arms, 0.0);
    for (const NodeIndex i : members) ++own[data.treatment[i]];
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < folds; ++f) {
      double growth = 0;  // of the sum of the squared shares of the arms
      for (std::size_t a = 0; a < num_arms; ++a) {
        if (own[a] > 0) growth += own[a] * (2 * count[f][a] + own[a]) / (arm_size[a] * arm_size[a]);
      }
      if (growth < least) {
        least = growth;
        best = f;
      }
    }
    for (std::size_t a = 0; a < num_arms; ++a) count[best][a] += own[a];
    for (const NodeIndex i : members) fold_of[i] = static_cast<int>(best);
  }
  for (const std::vector<double>& of_fold : count) {
    for (std::size_t a = 0; a < num_arms; ++a) {
      if (of_fold[a] == 0 || of_fold[a] == arm_size[a]) return std::nullopt;
    }
  }
  return gather_folds(fold_of, num_folds);
}

std::vector<int> number_lists(std::span<const std::vector<NodeIndex>> lists,
                              std::size_t num_nodes) {
  std::vector<int> out(num_nodes, -1);
  for (std::size_t k = 0; k < lists.size(); ++k) {
    for (const NodeIndex i : lists[k]) out[i] = static_cast<int>(k);
  }
  return out;
}

/// The list of every own node, −1 for none: `assign` makes the lists on the root, from the hashes,
/// arms and clusters of all ranks' nodes. 24 bytes per node there.
template <class Assign>
std::vector<int> assign_on_root(const Dataset& data, std::span<const NodeIndex> nodes,
                                const Assign& assign) {
  const bool has_clusters = data.comm().any(!data.cluster.empty());
  const RowsOnRoot rows(data, nodes);
  Matrix<std::uint64_t> own(nodes.size(), 3);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    own(k, 0) = data.hash_of(nodes[k]);
    own(k, 1) = data.treatment[nodes[k]];
    own(k, 2) = has_clusters ? data.cluster[nodes[k]] : 0;
  }
  const Matrix<std::uint64_t> all = rows.gather(std::move(own));
  const auto found = run_on_root(data.comm(), [&] {
    Dataset roster;
    roster.ids = IdTable::numbered(all.rows());
    roster.arms = data.arms;
    DistributedRows hashes{.comm = &Communicator::self(), .num_nodes = all.rows()};
    hashes.arm_sizes.assign(data.num_arms(), 0);
    for (std::size_t i = 0; i < all.rows(); ++i) {
      hashes.hash.push_back(all(i, 0));
      hashes.number.push_back(i);
      roster.treatment.push_back(static_cast<Arm>(all(i, 1)));
      ++hashes.arm_sizes[all(i, 1)];
      if (has_clusters) roster.cluster.push_back(static_cast<std::uint32_t>(all(i, 2)));
    }
    roster.distributed = std::make_shared<const DistributedRows>(std::move(hashes));
    return number_lists(assign(roster), all.rows());
  });
  const std::vector<int> list = rows.scatter_list(found ? *found : std::vector<int>());
  std::vector<int> out(data.num_nodes(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) out[nodes[k]] = list[k];
  return out;
}

}  // namespace

void SplitOptions::check(std::vector<Fault>& faults) const {
  if (train_fraction + validation_fraction >= 1) {
    faults.push_back({{.item = "--train-fraction, --validation-fraction"},
                      fmt::format("add up to {}, which leaves nothing for the test set",
                                  train_fraction + validation_fraction),
                      "make their sum less than 1"});
  }
}

Split make_split(const Dataset& data, const SplitOptions& options, std::uint64_t seed) {
  validate(options);
  if (data.comm().has_others()) {
    auto parts = gather_folds(assign_on_root(data, all_nodes(data),
                                             [&](const Dataset& all) {
                                               Split split = make_split(all, options, seed);
                                               return std::vector{std::move(split.train),
                                                                  std::move(split.validation),
                                                                  std::move(split.test)};
                                             }),
                              kPartNames.size());
    return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
  }
  std::vector<NodeIndex> order = random_order(data, all_nodes(data), seed, Stream::kSplit);
  Split split;
  std::vector<Fault> faults;
  if (options.stratified) {
    require_treatments(data);
    for (const std::span<const NodeIndex> members : group_by_arm(data, order)) {
      append_parts(split, members, options, members_of(data.arms, data.treatment[members[0]]),
                   faults);
    }
    const std::vector<std::size_t> sizes = data.arm_sizes();
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      if (sizes[a] == 0)
        append_parts(split, {}, options, members_of(data.arms, static_cast<Arm>(a)), faults);
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
  check_folds(data, nodes, num_folds, /*is_inside=*/false);
  if (data.comm().has_others()) {
    return gather_folds(
        assign_on_root(data, nodes,
                       [&](const Dataset& all) { return make_folds(all, num_folds, false, seed); }),
        num_folds);
  }
  return assign_in_turn(random_order(data, nodes, seed, Stream::kSplit), num_folds,
                        data.num_nodes());
}

std::vector<std::vector<NodeIndex>> make_folds(const Dataset& data,
                                               std::span<const NodeIndex> nodes, int num_folds,
                                               std::uint64_t seed, Stream stream) {
  require_treatments(data);
  check_folds(data, nodes, num_folds, stream == Stream::kSelection);
  const bool has_clusters = data.comm().any(!data.cluster.empty());
  if (data.comm().has_others() && has_clusters) {
    const auto assign = [&](const Dataset& all) {
      return make_folds(all, all_nodes(all), num_folds, seed, stream);
    };
    return gather_folds(assign_on_root(data, nodes, assign), num_folds);
  }
  if (data.distributed && !has_clusters) {
    return gather_folds(assign_folds_on_ranks(data, nodes, num_folds, seed, stream), num_folds);
  }
  std::vector<NodeIndex> order = random_order(data, nodes, seed, stream);
  if (has_clusters) {
    if (auto folds = assign_clusters(data, order, num_folds)) return std::move(*folds);
  }
  group_by_arm(data, order);
  return assign_in_turn(order, num_folds, data.num_nodes());
}

}  // namespace cone
