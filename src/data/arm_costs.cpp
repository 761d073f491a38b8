#include "data/arm_costs.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/arm_labels.hpp"
#include "data/number.hpp"

namespace cone {
namespace {

/// LABEL=COST.
struct CostArgument {
  std::string_view label;
  std::optional<double> number;
  std::string_view column;  ///< where the cost is not a number
};

/// Nothing where the text has neither form.
std::optional<CostArgument> parse_cost(std::string_view text) {
  const std::size_t at = text.rfind('=');  // a label may hold a =
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view cost = text.substr(at + 1);
  CostArgument out{.label = text.substr(0, at)};
  const ParsedNumber number = parse_number(cost);
  if (number.kind == NumberKind::kMissing || number.kind == NumberKind::kNotFinite) {
    return std::nullopt;
  }
  if (number.kind == NumberKind::kFinite) {
    out.number = number.value;
  } else {
    out.column = cost;
  }
  return out;
}

/// Over the nodes of all ranks; weighted where nodes have survey weights.
double mean_over_nodes(const Dataset& data, std::span<const double> values) {
  const Communicator& comm = data.comm();
  if (!comm.any(!data.weight.empty())) {
    return comm.allreduce(sum(values)) / comm.count(values.size());
  }
  return comm.allreduce(dot(data.weight, values)) / comm.allreduce(sum(data.weight));
}

Place place_of(const std::string& text) {
  return {.item = fmt::format("--cost {}", printable(text))};
}

}  // namespace

void check_costs(std::span<const std::string> arguments, std::vector<Fault>& faults) {
  for (const std::string& text : arguments) {
    if (parse_cost(text)) continue;
    faults.push_back({place_of(text), "is not of the form LABEL=NUMBER or LABEL=COLUMN",
                      "write for example --cost email=0.05, or --cost email=price where price is "
                      "a column of the node table"});
  }
}

std::vector<KeptColumn> cost_columns(std::span<const std::string> arguments) {
  std::vector<KeptColumn> columns;
  for (const std::string& text : arguments) {
    const auto cost = parse_cost(text);
    if (cost && !cost->number) columns.push_back({std::string(cost->column), "--cost"});
  }
  return columns;
}

CostTable read_costs(const Dataset& data, std::span<const std::string> arguments) {
  CostTable out;
  if (arguments.empty()) return out;
  for (const std::string& label : data.arms) out.arms.push_back({.label = label});
  out.per_node = Matrix<double>(data.num_nodes(), data.num_arms(), 0.0);
  std::vector<char> is_set(data.num_arms(), 0);
  std::vector<Fault> faults;
  for (const std::string& text : arguments) {
    const CostArgument cost = *parse_cost(text);
    const auto arm = find_arm(data.arms, cost.label);
    const NamedColumn* column = cost.number ? nullptr : data.find_kept(cost.column);
    if (!arm) {
      faults.push_back({place_of(text),
                        fmt::format("the data has no arm '{}'", printable(cost.label)),
                        fmt::format("the arms are {}", list_arms(data.arms))});
    } else if (is_set[*arm] != 0) {
      faults.push_back({place_of(text), "the arm already has a cost", "name every arm once"});
    } else if (!cost.number && column == nullptr) {
      faults.push_back(
          {place_of(text),
           fmt::format("'{}' is neither a number nor a column of the data", printable(cost.column)),
           "cost columns are read from the node table: a CSV file or a folder with nodes.csv"});
    } else {
      is_set[*arm] = 1;
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        out.per_node(i, *arm) = cost.number ? *cost.number : column->values[i];
      }
      out.arms[*arm].cost = cost.number ? *cost.number : mean_over_nodes(data, column->values);
      out.arms[*arm].column = cost.column;
    }
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return out;
}

std::optional<double> mean_cost(const Matrix<double>& policy, const CostTable& costs,
                                const Communicator& comm) {
  if (!costs.is_given()) return std::nullopt;
  CompensatedSum total;
  for (std::size_t i = 0; i < policy.rows(); ++i) {
    for (std::size_t a = 0; a < policy.cols(); ++a) total.add(policy(i, a) * costs.per_node(i, a));
  }
  return comm.allreduce(total.value()) / comm.count(policy.rows());
}

}  // namespace cone
