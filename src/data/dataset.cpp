#include "cone/dataset.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "data/arm_labels.hpp"

namespace cone {
namespace {

/// The first arm whose column of a table counts: arms called 0 and 1 have one propensity, as the
/// other follows from it.
std::size_t first_counted_arm(std::span<const std::string> arms) {
  return has_plain_labels(arms) ? 1 : 0;
}

std::string finish_checksum(const Communicator& comm, const RowChecksum& rows, Checksum& rest) {
  for (const std::uint64_t sum : rows.sums()) rest.add_size(comm.allreduce(sum));
  return rest.hex();
}

}  // namespace

double Dataset::effective_sample_size() const {
  if (!comm().any(!weight.empty())) return static_cast<double>(num_nodes_of_all());
  const double largest = comm().allreduce_max(weight.empty() ? 0.0 : std::ranges::max(weight));
  CompensatedSum total;
  CompensatedSum squares;
  for (const double w : weight) {
    const double share = w / largest;  // squares of tiny weights would be 0
    total.add(share);
    squares.add(share * share);
  }
  const double all = comm().allreduce(total.value());
  return all * all / comm().allreduce(squares.value());
}

std::vector<std::size_t> Dataset::arm_sizes() const {
  if (distributed) return {distributed->arm_sizes.begin(), distributed->arm_sizes.end()};
  std::vector<std::size_t> sizes(num_arms(), 0);
  for (const Arm arm : treatment) ++sizes[arm];
  return sizes;
}

std::uint64_t Dataset::hash_of(NodeIndex node) const {
  return distributed ? distributed->hash[node] : hash64(ids[node]);
}

std::vector<std::uint64_t> Dataset::neighbour_numbers(NodeIndex node) const {
  if (!distributed) {
    const std::span<const NodeIndex> neighbours = graph.neighbours(node);
    return {neighbours.begin(), neighbours.end()};
  }
  std::vector<std::uint64_t> out;
  for (const std::uint32_t row : distributed->lists->of(node)) {
    out.push_back(distributed->number[row]);
  }
  std::ranges::sort(out);
  return out;
}

const NamedColumn* Dataset::find_kept(std::string_view name) const {
  const auto found = std::ranges::find(kept, name, &NamedColumn::name);
  return found == kept.end() ? nullptr : &*found;
}

std::string Dataset::checksum() const {
  const std::size_t first_arm = first_counted_arm(arms);
  RowChecksum rows;
  for (NodeIndex i = 0; i < num_nodes(); ++i) {
    rows.put(number_of(i));
    rows.put(hash_of(i));
    rows.put(std::span<const std::uint64_t>(neighbour_numbers(i)));
    features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      if (value == 0) return;
      rows.put(column);
      rows.put(value);
    });
    if (has_log()) {
      rows.put(treatment[i]);
      rows.put(outcome[i]);
    }
    if (propensity) rows.put(std::span<const double>(propensity->row(i)).subspan(first_arm));
    if (mu) rows.put(std::span<const double>(mu->row(i)));
    if (!weight.empty()) rows.put(weight[i]);
    if (!cluster.empty()) rows.put(cluster[i]);
    rows.end_row();
  }
  Checksum rest;
  rest.add_size(num_nodes_of_all()).add_size(features.num_dense);
  for (const std::string& name : features.names) rest.add(name);
  for (const std::string& label : arms) rest.add(label);
  for (const bool has :
       {has_log(), propensity.has_value(), mu.has_value(), !weight.empty(), !cluster.empty()}) {
    rest.add_size(comm().any(has) ? 1 : 0);
  }
  return finish_checksum(comm(), rows, rest);
}

std::string Dataset::checksum_of(MatrixView<const double> table) const {
  RowChecksum rows;
  for (NodeIndex i = 0; i < table.rows(); ++i) {
    rows.put(number_of(i));
    rows.put(table.row(i));
    rows.end_row();
  }
  Checksum rest;
  rest.add_size(num_nodes_of_all()).add_size(table.cols());
  return finish_checksum(comm(), rows, rest);
}

std::string Dataset::log_checksum() const {
  std::uint64_t total = 0;  // a sum: the order of the nodes does not matter
  for (std::size_t i = 0; i < num_nodes() && has_log(); ++i) {
    std::string line(sizeof(double), '\0');
    std::memcpy(line.data(), &outcome[i], sizeof(double));
    line.append(arms[treatment[i]]);
    const std::uint64_t id = hash_of(static_cast<NodeIndex>(i));
    line.append(reinterpret_cast<const char*>(&id), sizeof id);
    total += hash64(line);
  }
  Checksum checksum;
  checksum.add_size(num_nodes_of_all()).add_size(comm().allreduce(total));
  return checksum.hex();
}

double Truth::value(MatrixView<const double> policy) const {
  CompensatedSum total;
  for (std::size_t i = 0; i < outcomes_.rows(); ++i)
    total.add(dot(policy.row(i), outcomes_.row(i)));
  return total.value() / static_cast<double>(outcomes_.rows());
}

double Truth::value(MatrixView<const double> policy, std::span<const NodeIndex> nodes) const {
  CompensatedSum total;
  for (const NodeIndex i : nodes) total.add(dot(policy.row(i), outcomes_.row(i)));
  return total.value() / static_cast<double>(nodes.size());
}

double Truth::value(MatrixView<const double> policy, std::span<const NodeIndex> nodes,
                    std::span<const double> weight) const {
  if (weight.empty()) return value(policy, nodes);
  CompensatedSum total;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    total.add(weight[k] * dot(policy.row(nodes[k]), outcomes_.row(nodes[k])));
  }
  return total.value() / static_cast<double>(nodes.size());
}

}  // namespace cone
