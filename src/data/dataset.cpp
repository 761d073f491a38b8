#include "cone/dataset.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "data/arm_labels.hpp"

namespace cone {
namespace {

void add_optional(Checksum& checksum, const std::optional<Matrix<double>>& table, Arm arm) {
  checksum.add_size(table.has_value() ? 1 : 0);
  if (!table) return;
  const std::vector<double> column = arm_column(table->view(), arm);
  checksum.add(std::span<const double>(column));
}

}  // namespace

double Dataset::effective_sample_size() const {
  if (weight.empty()) return static_cast<double>(num_nodes());
  const double largest = std::ranges::max(weight);
  CompensatedSum total;
  CompensatedSum squares;
  for (const double w : weight) {
    const double share = w / largest;  // squares of tiny weights would be 0
    total.add(share);
    squares.add(share * share);
  }
  return total.value() * total.value() / squares.value();
}

std::vector<std::size_t> Dataset::arm_sizes() const {
  std::vector<std::size_t> sizes(num_arms(), 0);
  for (const Arm arm : treatment) ++sizes[arm];
  return sizes;
}

const NamedColumn* Dataset::find_kept(std::string_view name) const {
  const auto found = std::ranges::find(kept, name, &NamedColumn::name);
  return found == kept.end() ? nullptr : &*found;
}

std::string Dataset::checksum() const {
  Checksum checksum;
  checksum.add_size(num_nodes());
  for (std::size_t i = 0; i < num_nodes(); ++i) checksum.add(ids[static_cast<NodeIndex>(i)]);
  checksum.add(graph.offsets()).add(graph.neighbours());
  checksum.add_size(features.matrix.cols());
  checksum.add_size(features.num_dense);
  features.matrix.add_to(checksum);
  for (const std::string& name : features.names) checksum.add(std::string_view(name));
  checksum.add(std::span<const std::uint8_t>(treatment));
  checksum.add(std::span<const double>(outcome));
  // Arms called 0 and 1 have one propensity, as the other follows from it. Their labels add
  // nothing, so that existing checksums stay valid.
  const bool is_plain = has_plain_labels(arms);
  for (std::size_t a = is_plain ? 1 : 0; a < num_arms(); ++a) {
    add_optional(checksum, propensity, static_cast<Arm>(a));
  }
  for (std::size_t a = 0; a < num_arms(); ++a) add_optional(checksum, mu, static_cast<Arm>(a));
  if (!is_plain) {
    checksum.add_size(num_arms());
    for (const std::string& label : arms) checksum.add(std::string_view(label));
  }
  // Absent columns add nothing, so that existing checksums stay valid.
  if (!weight.empty()) checksum.add("weight").add(std::span<const double>(weight));
  if (!cluster.empty()) checksum.add("cluster").add(std::span<const std::uint32_t>(cluster));
  return checksum.hex();
}

std::string Dataset::log_checksum() const {
  std::uint64_t total = 0;  // a sum: the order of the nodes does not matter
  for (std::size_t i = 0; i < num_nodes() && has_log(); ++i) {
    std::string line(sizeof(double), '\0');
    std::memcpy(line.data(), &outcome[i], sizeof(double));
    line.append(arms[treatment[i]]).append(1, '\0').append(ids[static_cast<NodeIndex>(i)]);
    total += hash64(line);
  }
  Checksum checksum;
  checksum.add_size(num_nodes()).add_size(total);
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
