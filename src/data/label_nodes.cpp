#include "data/label_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cone {

Graph gather_network(const Dataset& data, const RowsOnRoot& all) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeIndex> neighbours;
  for (NodeIndex i = 0; i < data.num_nodes(); ++i) {
    for (const std::uint64_t j : data.neighbour_numbers(i)) {
      neighbours.push_back(static_cast<NodeIndex>(j));
    }
    offsets.push_back(neighbours.size());
  }
  auto [begins, ends] = all.gather_lists(offsets, std::move(neighbours));
  return {std::move(begins), std::move(ends)};
}

bool can_label(const Dataset& data) {
  if (data.num_edges() == 0) return false;
  return !data.distributed || data.num_nodes_of_all() + 2 * data.num_edges() <= kMostLabelled;
}

std::vector<NodeLabels> label_nodes(const Context& context, const Dataset& data,
                                    const LabelNetwork& label) {
  std::vector<std::uint64_t> keys(data.num_nodes());
  for (NodeIndex i = 0; i < keys.size(); ++i) keys[i] = data.hash_of(i);
  if (!data.distributed) return label(context, data.graph, keys);
  const Communicator& comm = data.comm();
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const RowsOnRoot rows(data, nodes);
  keys = rows.gather_list(std::move(keys));
  std::vector<NodeLabels> labels;
  {
    const Graph graph = gather_network(data, rows);
    if (comm.is_root()) {
      const Context alone = context.shared_by(Communicator::self());
      labels = label(alone.with_threads(comm.count_cores_for(1)), graph, keys);
    }
  }
  comm.barrier();
  labels.resize(comm.allreduce(std::uint64_t{labels.size()}));
  for (NodeLabels& list : labels) list = rows.scatter_list(std::move(list));
  return labels;
}

}  // namespace cone
