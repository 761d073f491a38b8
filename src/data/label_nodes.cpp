#include "data/label_nodes.hpp"

#include <algorithm>
#include <utility>

namespace cone {
namespace {

/// The values of all ranks on the root, by rank; empty lists on the others.
template <class T>
std::vector<std::vector<T>> gather_on_root(const Communicator& comm, std::vector<T> own) {
  std::vector<std::vector<T>> parts(comm.size());
  parts[0] = std::move(own);
  return comm.alltoallv(std::move(parts));
}

struct GatheredRows {
  std::vector<std::vector<std::uint64_t>> number, hash;  ///< by rank
  Graph graph;                                           ///< in the order of the numbers
};

GatheredRows gather_network(const Dataset& data) {
  const Communicator& comm = data.comm();
  const std::size_t n = data.num_nodes();
  const DistributedRows& own = *data.distributed;
  std::vector<std::uint32_t> degree;
  std::vector<std::uint32_t> neighbours;
  for (NodeIndex i = 0; i < n; ++i) {
    degree.push_back(static_cast<std::uint32_t>(data.degree(i)));
    for (const std::uint64_t j : data.neighbour_numbers(i)) {
      neighbours.push_back(static_cast<std::uint32_t>(j));  // below kMostLabelled
    }
  }
  GatheredRows out{.number = gather_on_root(
                       comm, std::vector(own.number.begin(),
                                         own.number.begin() + static_cast<std::ptrdiff_t>(n))),
                   .hash = gather_on_root(comm, own.hash)};
  const auto degrees = gather_on_root(comm, std::move(degree));
  const auto lists = gather_on_root(comm, std::move(neighbours));
  if (!comm.is_root()) return out;
  std::vector<std::uint64_t> offsets(own.num_nodes + 1, 0);
  for (std::size_t r = 0; r < comm.size(); ++r) {
    for (std::size_t i = 0; i < degrees[r].size(); ++i) {
      offsets[out.number[r][i] + 1] = degrees[r][i];
    }
  }
  for (std::size_t i = 0; i < own.num_nodes; ++i) offsets[i + 1] += offsets[i];
  std::vector<NodeIndex> ends(offsets.back());
  for (std::size_t r = 0; r < comm.size(); ++r) {
    auto next = lists[r].begin();
    for (std::size_t i = 0; i < degrees[r].size(); ++i) {
      std::copy_n(next, degrees[r][i],
                  ends.begin() + static_cast<std::ptrdiff_t>(offsets[out.number[r][i]]));
      next += degrees[r][i];
    }
  }
  out.graph = Graph(std::move(offsets), std::move(ends));
  return out;
}

}  // namespace

bool can_label(const Dataset& data) {
  if (data.num_edges() == 0) return false;
  return !data.distributed || data.num_nodes_of_all() + 2 * data.num_edges() <= kMostLabelled;
}

std::vector<NodeLabels> label_nodes(const Context& context, const Dataset& data,
                                    const LabelNetwork& label) {
  if (!data.distributed) {
    std::vector<std::uint64_t> keys(data.num_nodes());
    for (NodeIndex i = 0; i < keys.size(); ++i) keys[i] = data.hash_of(i);
    return label(context, data.graph, keys);
  }
  const Communicator& comm = data.comm();
  GatheredRows all = gather_network(data);
  std::vector<NodeLabels> labels;
  if (comm.is_root()) {
    std::vector<std::uint64_t> keys(data.num_nodes_of_all());
    for (std::size_t r = 0; r < comm.size(); ++r) {
      for (std::size_t i = 0; i < all.number[r].size(); ++i) {
        keys[all.number[r][i]] = all.hash[r][i];
      }
    }
    const Context alone = context.shared_by(Communicator::self());
    labels = label(alone.with_threads(comm.count_cores_for(1)), all.graph, keys);
    all.graph = {};
  }
  comm.barrier();
  std::vector<NodeLabels> out(comm.allreduce(std::uint64_t{labels.size()}));
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::vector<NodeLabels> parts(comm.size());
    for (std::size_t r = 0; comm.is_root() && r < comm.size(); ++r) {
      for (const std::uint64_t number : all.number[r]) parts[r].push_back(labels[k][number]);
    }
    out[k] = std::move(comm.alltoallv(std::move(parts))[0]);
  }
  return out;
}

}  // namespace cone
