#include "data/dataset.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/numeric.hpp"

namespace cone {
namespace {

void add_optional(Checksum& checksum, const std::optional<std::vector<double>>& column) {
  checksum.add_size(column.has_value() ? 1 : 0);
  if (column) checksum.add(std::span<const double>(*column));
}

}  // namespace

std::size_t Dataset::num_treated() const {
  return static_cast<std::size_t>(std::count(treatment.begin(), treatment.end(), 1));
}

std::string Dataset::checksum() const {
  Checksum checksum;
  checksum.add_size(num_nodes());
  for (std::size_t i = 0; i < num_nodes(); ++i) checksum.add(ids[static_cast<NodeIndex>(i)]);
  checksum.add(graph.offsets()).add(graph.neighbours());
  checksum.add_size(features.matrix.cols());
  checksum.add_size(features.num_dense);
  checksum.add(features.matrix.offsets()).add(features.matrix.columns());
  checksum.add(features.matrix.values());
  for (const std::string& name : features.names) checksum.add(std::string_view(name));
  checksum.add(std::span<const std::uint8_t>(treatment));
  checksum.add(std::span<const double>(outcome));
  add_optional(checksum, propensity);
  add_optional(checksum, mu0);
  add_optional(checksum, mu1);
  return checksum.hex();
}

Truth::Truth(std::vector<double> y0, std::vector<double> y1)
    : y0_(std::move(y0)), y1_(std::move(y1)) {
  require(y0_.size() == y1_.size(), "truth: y0 and y1 differ in length");
}

double Truth::utility(std::span<const double> policy) const {
  CompensatedSum total;
  for (std::size_t i = 0; i < y0_.size(); ++i) {
    total.add(policy[i] * y1_[i] + (1 - policy[i]) * y0_[i]);
  }
  return total.value() / static_cast<double>(y0_.size());
}

double Truth::utility(std::span<const double> policy, std::span<const NodeIndex> nodes) const {
  CompensatedSum total;
  for (const NodeIndex i : nodes) total.add(policy[i] * y1_[i] + (1 - policy[i]) * y0_[i]);
  return total.value() / static_cast<double>(nodes.size());
}

}  // namespace cone
