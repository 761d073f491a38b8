#include "distributed/sampled_inputs.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "distributed/fetch_rows.hpp"

namespace cone::distributed {
namespace {

/// Rank and position as one number: identifies neighbours that several ranks send.
std::uint64_t node_key(std::uint64_t rank, std::uint64_t position) {
  return rank << 40U | position;
}

/// The largest hash of the sample.
std::uint64_t find_limit(const Communicator& comm, const LocalData& local, std::size_t arm,
                         std::uint64_t count) {
  std::vector<std::uint64_t> own(
      local.hash.begin() + static_cast<std::ptrdiff_t>(local.arm_begin[arm]),
      local.hash.begin() + static_cast<std::ptrdiff_t>(local.arm_begin[arm + 1]));
  std::ranges::sort(own);
  own.resize(std::min<std::size_t>(own.size(), count));
  std::vector<std::uint64_t> all = comm.allgatherv(own);
  std::ranges::sort(all);
  return all[count - 1];
}

/// A rank's sampled nodes and their neighbours, concatenated field by field.
struct SampleMessage {
  std::vector<std::uint64_t> number, hash, node, num_neighbours, neighbours;
  std::vector<int> fold;
  std::vector<double> node_values;  ///< outcome, degree, relative, inverse; smooth; curves
  std::vector<std::uint64_t> row_node;
  std::vector<std::uint32_t> row_sizes, features;
  std::vector<double> values, numeric;

  void add_row(std::uint64_t id, const SparseMatrix::Row& row,
               std::span<const double> numeric_row) {
    row_node.push_back(id);
    row_sizes.push_back(static_cast<std::uint32_t>(row.size()));
    features.insert(features.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    numeric.insert(numeric.end(), numeric_row.begin(), numeric_row.end());
  }
};

SampleMessage pack_sample(const Communicator& comm, const LocalData& local, std::size_t arm,
                          std::uint64_t limit) {
  SampleMessage out;
  std::vector<std::uint32_t> rows;  // nodes of the sample and their neighbours
  for (std::size_t p = local.arm_begin[arm]; p < local.arm_begin[arm + 1]; ++p) {
    if (local.hash[p] > limit) continue;
    out.number.push_back(local.number[p]);
    out.hash.push_back(local.hash[p]);
    out.fold.push_back(local.fold[p]);
    out.node.push_back(node_key(comm.rank(), p));
    out.node_values.insert(
        out.node_values.end(),
        {local.outcome[p], local.degree[p], local.relative_degree[p], local.inverse_degree[p]});
    for (const Matrix<double>* table : {&local.smooth, &local.curves}) {
      out.node_values.insert(out.node_values.end(), table->row(p).begin(), table->row(p).end());
    }
    rows.push_back(static_cast<std::uint32_t>(p));
    out.num_neighbours.push_back(local.list_offsets[p + 1] - local.list_offsets[p]);
    for (std::uint64_t k = local.list_offsets[p]; k < local.list_offsets[p + 1]; ++k) {
      const std::uint32_t row = local.lists[k];
      rows.push_back(row);
      const RemoteRow at =
          row < local.size() ? RemoteRow{comm.rank(), row} : local.remote[row - local.size()];
      out.neighbours.push_back(node_key(at.rank, at.row));
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<RemoteRow> wanted;
  for (const std::uint32_t row : rows) {
    if (row >= local.size()) wanted.push_back(local.remote[row - local.size()]);
  }
  const FetchedRows fetched = fetch_rows(comm, local, wanted);
  std::size_t next = 0;
  for (const std::uint32_t row : rows) {
    if (row < local.size()) {
      out.add_row(node_key(comm.rank(), row), local.counts.row(row), local.numeric.row(row));
    } else {
      out.add_row(node_key(wanted[next].rank, wanted[next].row), fetched.counts.row(next),
                  fetched.numeric.row(next));
      ++next;
    }
  }
  return out;
}

/// Sends one field of the messages to the root, which joins those it receives.
template <class T>
void send_part(const Communicator& comm, std::size_t root, std::vector<T>& part) {
  std::vector<std::vector<T>> parts(comm.size());
  parts[root] = std::move(part);
  part.clear();
  for (const std::vector<T>& from : comm.alltoallv(std::move(parts))) {
    part.insert(part.end(), from.begin(), from.end());
  }
}

void send_sample(const Communicator& comm, std::size_t root, SampleMessage& message) {
  for (auto* part : {&message.number, &message.hash, &message.node, &message.num_neighbours,
                     &message.neighbours, &message.row_node}) {
    send_part(comm, root, *part);
  }
  send_part(comm, root, message.fold);
  for (auto* part : {&message.row_sizes, &message.features}) send_part(comm, root, *part);
  for (auto* part : {&message.node_values, &message.values, &message.numeric}) {
    send_part(comm, root, *part);
  }
}

/// Offsets: where the entries of node k or row k start.
template <class T>
std::vector<std::uint64_t> starts(const std::vector<T>& sizes) {
  std::vector<std::uint64_t> out(sizes.size() + 1, 0);
  std::inclusive_scan(sizes.begin(), sizes.end(), out.begin() + 1, std::plus<>(), std::uint64_t{0});
  return out;
}

/// Features of all positions; several ranks may send the same neighbour, with the same values.
void fill_features(const SampleMessage& message,
                   const std::unordered_map<std::uint64_t, std::uint32_t>& position_of,
                   std::size_t num_counts, std::size_t num_numeric, RidgeInputs& inputs) {
  const std::vector<std::uint64_t> row_starts = starts(message.row_sizes);
  std::vector<std::size_t> row_of(position_of.size());
  for (std::size_t k = 0; k < message.row_node.size(); ++k) {
    row_of[position_of.at(message.row_node[k])] = k;
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  inputs.numeric = Matrix<double>(row_of.size(), num_numeric);
  for (std::size_t p = 0; p < row_of.size(); ++p) {
    const std::size_t k = row_of[p];
    for (std::uint64_t i = row_starts[k]; i < row_starts[k + 1]; ++i) {
      columns.push_back(message.features[i]);
      values.push_back(message.values[i]);
    }
    offsets.push_back(columns.size());
    std::copy_n(message.numeric.begin() + static_cast<std::ptrdiff_t>(k * num_numeric), num_numeric,
                inputs.numeric.row(p).begin());
  }
  inputs.counts =
      SparseMatrix(num_counts, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace

SampledInputs sample_arm(const Communicator& comm, const LocalData& local, std::size_t arm,
                         std::uint64_t count, std::size_t root) {
  const std::uint64_t limit = find_limit(comm, local, arm, count);
  SampleMessage message = pack_sample(comm, local, arm, limit);
  send_sample(comm, root, message);
  SampledInputs out;
  if (comm.rank() != root) return out;
  const std::size_t num_sampled = message.number.size();
  std::vector<std::size_t> order(num_sampled);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return message.number[k]; });
  std::unordered_map<std::uint64_t, std::uint32_t> position_of;
  for (const std::size_t k : order) {
    position_of.emplace(message.node[k], static_cast<std::uint32_t>(position_of.size()));
  }
  for (const std::uint64_t id : message.neighbours) {
    position_of.try_emplace(id, static_cast<std::uint32_t>(position_of.size()));
  }
  RidgeInputs& inputs = out.inputs;
  inputs.node_at.resize(position_of.size());
  std::iota(inputs.node_at.begin(), inputs.node_at.end(), NodeIndex{0});
  fill_features(message, position_of, local.counts.cols(), local.numeric.cols(), inputs);
  const std::vector<std::uint64_t> neighbour_starts = starts(message.num_neighbours);
  const std::size_t width = 4 + local.smooth.cols() + local.curves.cols();
  inputs.smooth = Matrix<double>(num_sampled, local.smooth.cols());
  inputs.curves = Matrix<double>(num_sampled, local.curves.cols());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeIndex> neighbours;
  out.position_of_received.resize(num_sampled);
  for (std::size_t p = 0; p < num_sampled; ++p) {
    const std::size_t k = order[p];
    out.position_of_received[k] = static_cast<std::uint32_t>(p);
    const double* node_values = message.node_values.data() + k * width;
    out.positions.push_back(static_cast<std::uint32_t>(p));
    out.hash.push_back(message.hash[k]);
    out.fold.push_back(message.fold[k]);
    out.outcome.push_back(node_values[0]);
    inputs.degree.push_back(node_values[1]);
    inputs.relative_degree.push_back(node_values[2]);
    inputs.inverse_degree.push_back(node_values[3]);
    std::copy_n(node_values + 4, local.smooth.cols(), inputs.smooth.row(p).begin());
    std::copy_n(node_values + 4 + local.smooth.cols(), local.curves.cols(),
                inputs.curves.row(p).begin());
    for (std::uint64_t i = neighbour_starts[k]; i < neighbour_starts[k + 1]; ++i) {
      neighbours.push_back(position_of.at(message.neighbours[i]));
    }
    std::sort(neighbours.begin() + static_cast<std::ptrdiff_t>(offsets.back()), neighbours.end());
    offsets.push_back(neighbours.size());
  }
  offsets.resize(position_of.size() + 1,
                 neighbours.size());  // neighbours of neighbours are not needed
  inputs.graph = Graph(std::move(offsets), std::move(neighbours));
  inputs.arm_begin = {0, position_of.size()};
  return out;
}

}  // namespace cone::distributed
