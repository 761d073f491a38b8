#include "inference/clusters.hpp"

#include <unordered_map>

#include "cone/error.hpp"

#include "base/hash.hpp"
#include "graph/communities.hpp"

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

}  // namespace

Clustering cluster_nodes(const Context& context, const Dataset& data) {
  if (!data.cluster.empty()) {
    Clustering given = take_clusters(data.graph, data.cluster);
    given.given = true;
    return given;
  }
  if (data.graph.num_edges() == 0) return {};
  std::vector<std::uint64_t> keys(data.num_nodes());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = hash64(data.ids[i]);
  return take_clusters(data.graph, find_communities(context, data.graph, keys));
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
