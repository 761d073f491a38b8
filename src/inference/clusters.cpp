#include "inference/clusters.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

double measure_cut(const Graph& graph, std::span<const std::uint32_t> of) {
  std::size_t cut = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    for (const NodeIndex j : graph.neighbours(i)) cut += of[i] != of[j] ? 1 : 0;
  }
  const std::size_t ends = graph.neighbours().size();
  return ends == 0 ? 0 : static_cast<double>(cut) / static_cast<double>(ends);
}

/// Groups of distributed nodes; rank g mod size owns group g.
class GroupsOnRanks : public DistributedGroups {
 public:
  /// `local_groups`: the groups of this rank's nodes, sorted by owner.
  GroupsOnRanks(const Communicator& comm, const std::vector<std::uint32_t>& local_groups)
      : comm_(comm), num_local_(local_groups.size()), sent_(comm.size(), 0) {
    std::vector<std::vector<std::uint32_t>> parts(comm.size());
    for (const std::uint32_t group : local_groups) {
      parts[owner_of(group, comm)].push_back(group);
      ++sent_[owner_of(group, comm)];
    }
    rows_ = comm.alltoallv(std::move(parts));
    std::vector<std::uint32_t> owned;
    for (const auto& part : rows_) owned.insert(owned.end(), part.begin(), part.end());
    std::ranges::sort(owned);
    owned.erase(std::unique(owned.begin(), owned.end()), owned.end());
    num_owned_ = owned.size();
    for (auto& part : rows_) {
      for (std::uint32_t& group : part) {
        group = static_cast<std::uint32_t>(std::ranges::lower_bound(owned, group) - owned.begin());
      }
    }
  }

  static std::size_t owner_of(std::uint32_t group, const Communicator& comm) {
    return group % comm.size();
  }

  std::size_t num_local() const override { return num_local_; }

  Matrix<double> reduce_to_owners(const Matrix<double>& sums) const override {
    std::vector<std::vector<double>> parts(comm_.size());
    auto next = sums.values().begin();
    for (std::size_t to = 0; to < parts.size(); ++to) {
      const auto end = next + static_cast<std::ptrdiff_t>(sent_[to] * sums.cols());
      parts[to].assign(next, end);
      next = end;
    }
    const auto received = comm_.alltoallv(std::move(parts));
    Matrix<double> out(num_owned_, sums.cols(), 0.0);
    for (std::size_t from = 0; from < received.size(); ++from) {
      auto value = received[from].begin();
      for (const std::uint32_t row : rows_[from]) {
        for (double& total : out.row(row)) total += *value++;
      }
    }
    return out;
  }

 private:
  const Communicator& comm_;
  std::size_t num_local_;
  std::size_t num_owned_ = 0;
  std::vector<std::size_t> sent_;                 ///< number of groups sent to every rank
  std::vector<std::vector<std::uint32_t>> rows_;  ///< of the groups that this rank owns, by sender
};

/// Over all ranks.
double measure_cut(const Dataset& data, std::span<const std::uint32_t> of) {
  const DistributedRows& rows = *data.distributed;
  Matrix<double> table(of.size() + rows.remote.size(), 1);
  for (std::size_t i = 0; i < of.size(); ++i) table(i, 0) = of[i];
  rows.ghosts->fetch(table);
  std::uint64_t cut = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    for (const std::uint32_t j : rows.lists->of(i)) cut += table(j, 0) != table(i, 0) ? 1 : 0;
  }
  return static_cast<double>(data.comm().allreduce(cut)) /
         (2 * static_cast<double>(rows.num_edges));
}

/// `labels`: of the own nodes, from 0 over all ranks.
Clustering distribute_clusters(const Dataset& data, std::span<const std::uint32_t> labels) {
  const Communicator& comm = data.comm();
  const auto by_owner = [&](std::uint32_t group) {
    return std::pair(GroupsOnRanks::owner_of(group, comm), group);
  };
  std::vector<std::uint32_t> local(labels.begin(), labels.end());
  std::ranges::sort(local, {}, by_owner);
  local.erase(std::unique(local.begin(), local.end()), local.end());
  std::uint64_t count = 0;
  for (const std::uint32_t group : local) count = std::max(count, std::uint64_t{group} + 1);
  Clustering out{.count = comm.allreduce_max(count), .cut_share = measure_cut(data, labels)};
  for (const std::uint32_t group : labels) {
    out.of.push_back(static_cast<std::uint32_t>(
        std::ranges::lower_bound(local, by_owner(group), {}, by_owner) - local.begin()));
  }
  out.distributed = std::make_shared<GroupsOnRanks>(comm, local);
  return out;
}

/// Labels with a number for every node that is in no community.
NodeLabels number_single_nodes(const Dataset& data, NodeLabels labels) {
  std::uint64_t count = 0;
  std::uint64_t num_single = 0;
  for (const std::uint32_t label : labels) {
    num_single += label == kNoCommunity ? 1 : 0;
    if (label != kNoCommunity) count = std::max(count, std::uint64_t{label} + 1);
  }
  std::uint64_t next = data.comm().allreduce_max(count) + data.comm().exclusive_scan(num_single);
  for (std::uint32_t& label : labels) {
    if (label == kNoCommunity) label = static_cast<std::uint32_t>(next++);
  }
  return labels;
}

}  // namespace

Clustering cluster_nodes(const Context& context, const Dataset& data,
                         const NodeCommunities* found) {
  const bool is_given = data.comm().any(!data.cluster.empty());
  if (!is_given && !can_label(data)) return {};
  const auto find_labels = [&]() -> NodeLabels {
    if (is_given) return data.cluster;
    if (found != nullptr) return number_single_nodes(data, found->labels[kPlainResolution]);
    return number_single_nodes(
        data, find_node_communities(context, data, /*all=*/false).labels[kPlainResolution]);
  };
  const NodeLabels labels = find_labels();
  Clustering out =
      data.distributed ? distribute_clusters(data, labels) : take_clusters(data.graph, labels);
  out.given = is_given;
  return out;
}

Clustering take_clusters(const Graph& graph, std::span<const std::uint32_t> labels) {
  require(labels.size() == graph.num_nodes(), "clusters: the labels are not one per node");
  Clustering out{.of = {labels.begin(), labels.end()}};
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& label : out.of) {
    label = number.try_emplace(label, static_cast<std::uint32_t>(number.size())).first->second;
  }
  out.count = number.size();
  out.cut_share = measure_cut(graph, out.of);
  return out;
}

Matrix<double> sum_by_group(const Clustering& clusters, MatrixView<const double> x) {
  Matrix<double> sums(clusters.distributed ? clusters.distributed->num_local() : clusters.count,
                      x.cols(), 0.0);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < x.cols(); ++c) sums(clusters.of[i], c) += x(i, c);
  }
  return clusters.distributed ? clusters.distributed->reduce_to_owners(sums) : sums;
}

}  // namespace cone
