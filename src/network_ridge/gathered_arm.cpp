#include "network_ridge/gathered_arm.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cone/context.hpp"

#include "network_ridge/fetch_rows.hpp"

namespace cone {
namespace {

/// Rank and position as one number: identifies neighbours that several ranks send.
std::uint64_t node_key(std::uint64_t rank, std::uint64_t position) {
  return rank << 40U | position;
}

/// A rank's sampled nodes and their neighbours, concatenated field by field.
struct SampleMessage {
  std::vector<std::uint64_t> number, hash, node, num_neighbours, neighbours;
  std::vector<char> learns;  ///< one per task
  std::vector<CommunityFeatures::Columns> communities;
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

SampleMessage pack_sample(const Dataset& data, const RidgeSystem& system,
                          std::span<const std::uint32_t> positions) {
  const RidgeInputs& inputs = *system.inputs;
  const Communicator& comm = *inputs.comm;
  const std::size_t n = inputs.num_nodes();
  SampleMessage out;
  std::vector<std::uint32_t> rows;  // nodes of the sample and their neighbours
  for (const std::uint32_t p : positions) {
    out.number.push_back(inputs.number_of(p));
    out.hash.push_back(data.hash_of(inputs.node_at[p]));
    for (const std::vector<char>& task : system.learns_from) out.learns.push_back(task[p]);
    out.node.push_back(node_key(comm.rank(), p));
    out.node_values.insert(out.node_values.end(),
                           {data.outcome[inputs.node_at[p]], inputs.degree[p],
                            inputs.relative_degree[p], inputs.inverse_degree[p]});
    for (const Matrix<double>* table : {&inputs.smooth, &inputs.curves}) {
      out.node_values.insert(out.node_values.end(), table->row(p).begin(), table->row(p).end());
    }
    out.communities.push_back(inputs.communities.columns_at(p));
    rows.push_back(p);
    out.num_neighbours.push_back(inputs.neighbours(p).size());
    for (const std::uint32_t row : inputs.neighbours(p)) {
      rows.push_back(row);
      const RemoteRow at =
          row < n ? RemoteRow{comm.rank(), row} : inputs.distributed->remote[row - n];
      out.neighbours.push_back(node_key(at.rank, at.row));
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<RemoteRow> wanted;
  for (const std::uint32_t row : rows) {
    if (row >= n) wanted.push_back(inputs.distributed->remote[row - n]);
  }
  const FetchedRows fetched = fetch_rows(comm, inputs.counts, inputs.numeric, wanted);
  std::size_t next = 0;
  for (const std::uint32_t row : rows) {
    if (row < n) {
      out.add_row(node_key(comm.rank(), row), inputs.counts.row(row), inputs.numeric.row(row));
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
  send_part(comm, root, message.learns);
  send_part(comm, root, message.communities);
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

/// What the root received, as a system of its own.
GatheredArm unpack_sample(const RidgeSystem& system, SampleMessage message) {
  const std::size_t num_counts = system.inputs->counts.cols();
  const std::size_t num_numeric = system.inputs->numeric.cols();
  const std::size_t num_smooth = system.inputs->smooth.cols();
  const std::size_t num_curves = system.inputs->curves.cols();
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
  GatheredArm out{.system = {.groups = system.groups, .undersmoothing = system.undersmoothing}};
  auto gathered = std::make_shared<RidgeInputs>();
  RidgeInputs& inputs = *gathered;
  inputs.node_at.resize(position_of.size());
  std::iota(inputs.node_at.begin(), inputs.node_at.end(), NodeIndex{0});
  fill_features(message, position_of, num_counts, num_numeric, inputs);
  const std::vector<std::uint64_t> neighbour_starts = starts(message.num_neighbours);
  const std::size_t width = 4 + num_smooth + num_curves;
  inputs.smooth = Matrix<double>(num_sampled, num_smooth);
  inputs.curves = Matrix<double>(num_sampled, num_curves);
  const std::size_t num_tasks = system.num_tasks();
  out.system.learns_from.assign(num_tasks, std::vector<char>(position_of.size(), 0));
  std::vector<CommunityFeatures::Columns> communities(position_of.size());
  for (CommunityFeatures::Columns& none : communities) none.fill(kNoCommunity);
  NeighbourLists lists;
  out.row_of_received.resize(num_sampled);
  for (std::size_t p = 0; p < num_sampled; ++p) {
    const std::size_t k = order[p];
    out.row_of_received[k] = static_cast<std::uint32_t>(p);
    const double* node_values = message.node_values.data() + k * width;
    out.positions.push_back(static_cast<std::uint32_t>(p));
    out.hash.push_back(message.hash[k]);
    for (std::size_t t = 0; t < num_tasks; ++t) {
      out.system.learns_from[t][p] = message.learns[k * num_tasks + t];
    }
    out.outcome.push_back(node_values[0]);
    communities[p] = message.communities[k];
    inputs.degree.push_back(node_values[1]);
    inputs.relative_degree.push_back(node_values[2]);
    inputs.inverse_degree.push_back(node_values[3]);
    std::copy_n(node_values + 4, num_smooth, inputs.smooth.row(p).begin());
    std::copy_n(node_values + 4 + num_smooth, num_curves, inputs.curves.row(p).begin());
    for (std::uint64_t i = neighbour_starts[k]; i < neighbour_starts[k + 1]; ++i) {
      lists.rows.push_back(position_of.at(message.neighbours[i]));
    }
    std::sort(lists.rows.begin() + static_cast<std::ptrdiff_t>(lists.offsets.back()),
              lists.rows.end());
    lists.offsets.push_back(lists.rows.size());
  }
  lists.offsets.resize(position_of.size() + 1,
                       lists.rows.size());  // neighbours of neighbours are not needed
  lists.arm_offsets = lists.offsets;
  inputs.lists = std::make_shared<const NeighbourLists>(std::move(lists));
  inputs.communities = {system.inputs->communities, communities};
  inputs.arm_begin = {0, position_of.size()};
  out.system.inputs = std::move(gathered);
  return out;
}

GatheredArm take_own(const Dataset& data, const RidgeSystem& system,
                     std::vector<std::uint32_t> positions) {
  const RidgeInputs& inputs = *system.inputs;
  GatheredArm out{.system = {.inputs = system.inputs,
                             .groups = system.groups,
                             .undersmoothing = system.undersmoothing,
                             .learns_from = system.learns_from},
                  .positions = std::move(positions)};
  for (const std::uint32_t p : out.positions) {
    out.row_of_received.push_back(static_cast<std::uint32_t>(out.outcome.size()));
    out.hash.push_back(data.hash_of(inputs.node_at[p]));
    out.outcome.push_back(data.outcome[inputs.node_at[p]]);
  }
  out.sent = out.positions;
  return out;
}

}  // namespace

std::uint64_t find_hash_limit(const Communicator& comm, std::vector<std::uint64_t> hash,
                              std::size_t count) {
  std::ranges::sort(hash);
  hash.resize(std::min(hash.size(), count));
  std::vector<std::uint64_t> all = comm.allgatherv(hash);
  std::ranges::sort(all);
  return all[count - 1];
}

std::vector<std::uint32_t> choose_sample(const Dataset& data, const RidgeInputs& inputs,
                                         std::span<const std::uint32_t> positions,
                                         std::size_t count) {
  std::vector<std::uint32_t> chosen(positions.begin(), positions.end());
  if (inputs.comm->count(chosen.size()) <= static_cast<double>(count)) return chosen;
  std::vector<std::uint64_t> hash;
  for (const std::uint32_t p : chosen) hash.push_back(data.hash_of(inputs.node_at[p]));
  const std::uint64_t limit = find_hash_limit(*inputs.comm, std::move(hash), count);
  std::erase_if(chosen, [&](std::uint32_t p) { return data.hash_of(inputs.node_at[p]) > limit; });
  return chosen;
}

GatheredArm gather_positions(const Dataset& data, const RidgeSystem& system,
                             std::span<const std::uint32_t> positions, std::size_t count,
                             std::size_t root) {
  const Communicator& comm = *system.inputs->comm;
  std::vector<std::uint32_t> chosen = choose_sample(data, *system.inputs, positions, count);
  if (!comm.has_others()) return take_own(data, system, std::move(chosen));
  SampleMessage message = pack_sample(data, system, chosen);
  send_sample(comm, root, message);
  GatheredArm out;
  if (comm.rank() == root) out = unpack_sample(system, std::move(message));
  out.sent = std::move(chosen);
  return out;
}

GatheredArm gather_arm(const Dataset& data, const RidgeSystem& system, std::size_t arm,
                       std::size_t count, std::size_t root) {
  GatheredArm out = gather_positions(data, system, system.positions_of_arm(arm), count, root);
  // Gathered from other ranks the arm is alone.
  if (!system.inputs->comm->has_others()) out.arm = arm;
  return out;
}

Context own_context(const Context& context, std::size_t num_arms, std::size_t num_positions) {
  const Communicator& comm = context.comm();
  // Smaller samples take less than a second, and threads take memory.
  constexpr std::size_t kThreadedSample = 1000;
  const bool widens = comm.has_others() && num_positions >= kThreadedSample;
  return (widens ? context.widen(comm.count_cores_for(num_arms)) : context)
      .shared_by(Communicator::self());
}

std::vector<std::size_t> order_by_hash(std::span<const std::uint64_t> hash) {
  std::vector<std::size_t> rows(hash.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t a, std::size_t b) { return hash[a] < hash[b]; });
  return rows;
}

}  // namespace cone
