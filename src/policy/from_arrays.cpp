#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/given_columns.hpp"

namespace cone {
namespace {

/// Faults of one policy, located by row.
class PolicyFaults {
 public:
  PolicyFaults(const Dataset& data, const std::string& name) : data_(data), name_(name) {}

  void add(const char* kind, std::size_t row, std::string what, std::string advice) {
    if (!list_.has_room(kind)) return list_.add_unlisted(kind, 1);
    const std::string place =
        fmt::format("row {} ({})", row, printable(data_.ids[static_cast<NodeIndex>(row)]));
    list_.add(kind,
              {{.file = place, .column = printable(name_)}, std::move(what), std::move(advice)});
  }
  void require_rows(std::size_t num_rows) {
    if (num_rows == data_.num_nodes()) return;
    list_.add("rows",
              {{.item = printable(name_)},
               fmt::format("has {} rows where the data has {} nodes", num_rows, data_.num_nodes()),
               "give one row per node, in the order of the data"});
    throw_if_any();
  }
  void throw_if_any() const { list_.throw_if_any(ErrorCode::kData); }

 private:
  const Dataset& data_;
  const std::string& name_;
  FaultList list_;
};

}  // namespace

PolicyOnData make_policy(const Dataset& data, std::string name,
                         MatrixView<const double> probability) {
  const std::size_t num_arms = data.num_arms();
  PolicyFaults faults(data, name);
  faults.require_rows(probability.rows());
  const bool is_single = num_arms == 2 && probability.cols() == 1;
  if (!is_single && probability.cols() != num_arms) {
    throw Error(ErrorCode::kData, {{.item = printable(name)},
                                   fmt::format("has {} columns where the data has {} arms: {}",
                                               probability.cols(), num_arms, list_arms(data.arms)),
                                   "give one probability per arm, in this order"});
  }
  Matrix<double> table(probability.rows(), num_arms);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < probability.cols(); ++k) {
      const double p = probability(i, k);
      table(i, is_single ? 1 : k) = p;
      sum += p;
      if (p >= 0 && p <= 1) continue;
      if (std::isnan(p)) {
        faults.add("missing", i, "missing in this row", "give every node its probability");
      } else {
        faults.add("probability", i, fmt::format("'{}' is not a probability", p),
                   "if these are percentages, divide them by 100");
      }
    }
    if (is_single) {
      table(i, kControlArm) = 1 - table(i, 1);
    } else if (std::abs(sum - 1) > load::kSumTolerance) {
      faults.add("sum", i, fmt::format("the probabilities add up to {:.6g}, not 1", sum),
                 "make the probabilities of all arms add up to 1");
    }
  }
  faults.throw_if_any();
  return {std::move(name), std::move(table)};
}

PolicyOnData make_policy(const Dataset& data, std::string name,
                         std::span<const std::string> labels) {
  PolicyFaults faults(data, name);
  faults.require_rows(labels.size());
  Matrix<double> table(labels.size(), data.num_arms());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (const auto arm = find_arm(data.arms, labels[i])) {
      table(i, *arm) = 1;
    } else {
      faults.add("label", i, fmt::format("'{}' is not an arm", printable(labels[i])),
                 fmt::format("the arms are {}", list_arms(data.arms)));
    }
  }
  faults.throw_if_any();
  return {std::move(name), std::move(table)};
}

}  // namespace cone
