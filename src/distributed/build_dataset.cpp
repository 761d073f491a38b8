#include <algorithm>
#include <numeric>
#include <utility>

#include "distributed/node_rows.hpp"

namespace cone::distributed {
namespace {

/// Neighbours of this rank's nodes that other ranks own, ascending, each once. Duplicates are
/// removed while the list grows, so it never has many more entries than at the end.
std::vector<std::uint64_t> list_ghosts(const NodeRows& rows) {
  constexpr std::size_t kFew = std::size_t{1} << 16;
  std::vector<std::uint64_t> out;
  std::size_t next_size = kFew;
  const auto remove_duplicates = [&] {
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    next_size = std::max(kFew, out.size() + out.size() / 2);
  };
  for (const std::uint64_t number : rows.neighbours) {
    if (std::ranges::binary_search(rows.number, number)) continue;
    if (out.size() == next_size) remove_duplicates();
    out.push_back(number);
  }
  remove_duplicates();
  out.shrink_to_fit();
  return out;
}

/// A node's owner, its position there and its arm.
struct NodeLocation {
  std::uint64_t number;
  std::uint64_t position;
  std::uint32_t rank;
  std::uint32_t arm;
};

/// The rank whose directory has a node's location: equal ranges of node numbers.
std::size_t directory_rank(std::uint64_t number, std::uint64_t num_nodes, std::size_t num_ranks) {
  const std::uint64_t per_rank = (num_nodes + num_ranks - 1) / num_ranks;
  return number / per_rank;
}

/// Looks up the locations of nodes in the distributed directory.
std::vector<NodeLocation> locate(const DistributedRows& rows, std::span<const Arm> arms,
                                 std::span<const std::uint64_t> wanted) {
  const Communicator& comm = *rows.comm;
  const std::uint64_t n = rows.num_nodes;
  std::vector<std::vector<NodeLocation>> published(comm.size());
  for (std::size_t p = 0; p < arms.size(); ++p) {
    published[directory_rank(rows.number[p], n, comm.size())].push_back(
        {rows.number[p], p, static_cast<std::uint32_t>(comm.rank()), arms[p]});
  }
  std::vector<NodeLocation> known;
  for (const auto& part : comm.alltoallv(std::move(published)))
    known.insert(known.end(), part.begin(), part.end());
  std::ranges::sort(known, {}, &NodeLocation::number);
  std::vector<std::vector<std::uint64_t>> requests(comm.size());
  for (const std::uint64_t number : wanted) {
    requests[directory_rank(number, n, comm.size())].push_back(number);
  }
  std::vector<std::vector<NodeLocation>> replies(comm.size());
  const auto requested = comm.alltoallv(std::move(requests));
  for (std::size_t from = 0; from < comm.size(); ++from) {
    for (const std::uint64_t number : requested[from]) {
      replies[from].push_back(*std::ranges::lower_bound(known, number, {}, &NodeLocation::number));
    }
  }
  std::vector<NodeLocation> out;
  for (const auto& part : comm.alltoallv(std::move(replies)))
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// Values in the order of the dataset's rows.
template <class T>
std::vector<T> take(const std::vector<T>& values, std::span<const std::size_t> order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const std::size_t i : order) out.push_back(values[i]);
  return out;
}

Matrix<double> take(const Matrix<double>& table, std::span<const std::size_t> order) {
  Matrix<double> out(order.size(), table.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::ranges::copy(table.row(order[k]), out.row(k).begin());
  }
  return out;
}

/// A neighbour's row in a table with ghosts, and its arm.
struct Neighbour {
  Arm arm;
  std::uint32_t row;
};

/// The nodes of all ranks decide which columns are dense, as in one process.
FeatureMatrix join_features(const Communicator& comm, const GlobalData& global,
                            const Matrix<double>& numeric, const SparseMatrix& counts) {
  const std::size_t width = numeric.cols();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < numeric.rows(); ++i) {
    for (std::size_t c = 0; c < width; ++c) {
      if (numeric(i, c) == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(c));
      values.push_back(numeric(i, c));
    }
    const SparseMatrix::Row row = counts.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      columns.push_back(static_cast<std::uint32_t>(width + row.columns[k]));
      values.push_back(row.values[k]);
    }
    offsets.push_back(columns.size());
  }
  SparseMatrix joined(width + counts.cols(), std::move(offsets), std::move(columns),
                      std::move(values));
  std::vector<double> num_entries = count_column_entries(joined);
  comm.allreduce(num_entries);
  return store_full_columns_densely(std::move(joined), global.num_numeric_features, num_entries,
                                    static_cast<double>(global.num_nodes));
}

NeighbourLists list_neighbours(const NodeRows& rows, std::span<const std::size_t> order,
                               std::span<const NodeLocation> ghosts, std::size_t num_arms) {
  std::vector<std::uint32_t> position_of(rows.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    position_of[order[p]] = static_cast<std::uint32_t>(p);
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ghost_of;  // by number
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    ghost_of.emplace_back(ghosts[g].number, static_cast<std::uint32_t>(g));
  }
  std::ranges::sort(ghost_of);
  std::vector<Neighbour> own;
  NeighbourLists out;
  out.rows.reserve(rows.neighbours.size());
  for (const std::size_t i : order) {
    own.clear();
    for (std::uint64_t k = rows.edge_offsets[i]; k < rows.edge_offsets[i + 1]; ++k) {
      const std::uint64_t number = rows.neighbours[k];
      const auto here = std::ranges::lower_bound(rows.number, number);
      if (here != rows.number.end() && *here == number) {
        const auto j = static_cast<std::size_t>(here - rows.number.begin());
        own.push_back({rows.arm[j], position_of[j]});
      } else {
        const auto ghost =
            std::ranges::lower_bound(ghost_of, number, {}, &decltype(ghost_of)::value_type::first);
        own.push_back({static_cast<Arm>(ghosts[ghost->second].arm),
                       static_cast<std::uint32_t>(rows.size() + ghost->second)});
      }
    }
    std::ranges::sort(own, {}, [](const Neighbour& n) { return std::pair(n.arm, n.row); });
    std::size_t next = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      out.arm_offsets.push_back(out.rows.size());
      for (; next < own.size() && own[next].arm == a; ++next) out.rows.push_back(own[next].row);
    }
    out.offsets.push_back(out.rows.size());
  }
  out.arm_offsets.push_back(out.rows.size());
  return out;
}

/// Weights, clusters and named columns.
void take_columns(const GlobalData& global, const Matrix<double>& columns, Dataset& data) {
  std::size_t next = 0;
  const auto take_next = [&] {
    std::vector<double> out(columns.rows());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = columns(i, next);
    ++next;
    return out;
  };
  if (global.has_weight) data.weight = take_next();
  if (global.has_cluster) {
    for (const double label : take_next())
      data.cluster.push_back(static_cast<std::uint32_t>(label));
  }
  for (const std::string& name : global.column_names) data.kept.push_back({name, take_next()});
}

Dataset build_dataset(const Communicator& comm, const GlobalData& global, NodeRows& rows,
                      std::span<const std::size_t> order) {
  Dataset data;
  data.ids = IdTable::numbered(rows.size());
  data.arms = global.arms;
  data.treatment = take(rows.arm, order);
  data.outcome = take(rows.outcome, order);
  if (rows.propensity.cols() > 0) data.propensity = take(rows.propensity, order);
  if (rows.mu.cols() > 0) data.mu = take(rows.mu, order);
  take_columns(global, take(rows.columns, order), data);
  DistributedRows own{.comm = &comm,
                      .num_nodes = global.num_nodes,
                      .num_edges = global.edges.num_edges,
                      .arm_sizes = global.arm_sizes,
                      .number = take(rows.number, order),
                      .hash = take(rows.hash, order)};
  std::vector<NodeLocation> ghosts = locate(own, data.treatment, list_ghosts(rows));
  std::ranges::sort(ghosts, {},
                    [](const NodeLocation& g) { return std::pair(g.rank, g.position); });
  for (const NodeLocation& ghost : ghosts) {
    own.remote.push_back({ghost.rank, ghost.position});
    own.number.push_back(ghost.number);
  }
  own.ghosts = comm.connect_ghosts(
      {.num_owned = rows.size(), .num_ghosts = own.remote.size(), .remote = own.remote});
  own.lists =
      std::make_shared<const NeighbourLists>(list_neighbours(rows, order, ghosts, data.num_arms()));
  rows.neighbours = std::vector<std::uint64_t>();
  data.distributed = std::make_shared<const DistributedRows>(std::move(own));
  const std::vector<std::uint32_t> selected(order.begin(), order.end());
  data.features.num_dense = global.num_numeric_features;
  data.features.names = global.feature_names;
  data.features.matrix =
      join_features(comm, global, take(rows.numeric, order), rows.counts.select_rows(selected));
  return data;
}

}  // namespace

EvaluationInput build_input(const Communicator& comm, NodeRows rows, GlobalData global) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.arm[i]; });
  EvaluationInput out;
  out.data.observed = build_dataset(comm, global, rows, order);
  out.data.edges = global.edges;
  out.data.columns = {{.name = global.outcome, .role = "outcome"}};
  out.data.notes = std::move(global.notes);
  out.data.warnings = std::move(global.warnings);
  if (rows.truth.cols() > 0) out.data.truth.emplace(take(rows.truth, order));
  for (std::size_t k = 0; k < rows.policies.size(); ++k) {
    out.policies.push_back({global.policy_names[k], take(rows.policies[k], order)});
    if (!global.learnt_from.empty()) out.policies.back().learnt_from = global.learnt_from[k];
  }
  return out;
}

}  // namespace cone::distributed
