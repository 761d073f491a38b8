#include "evaluate/balance_diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "evaluate/balance_columns.hpp"
#include "evaluate/compare_arms.hpp"
#include "evaluate/overlap_diagnostics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr std::size_t kMostNumeric = 50;
constexpr std::size_t kMostCounts = 20;
constexpr double kBalanced = 0.1;           // standardised mean difference (Austin 2009)
constexpr double kSignificantOfMany = 4.0;  // standard errors: many columns are tested
constexpr std::size_t kColumnsAtOnce = 8;   // limits memory

/// `values`: one per node of the data.
SampleColumn take_own(const LoggedSample& sample, std::span<const double> values, std::string name,
                      std::string of) {
  SampleColumn out{.name = std::move(name), .of = std::move(of)};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.values.push_back(values[sample.nodes[i]]);
    out.rows.push_back(i);
  }
  return out;
}

/// Means over neighbours, of nodes that have any. `values`: one row per node of the data.
SampleColumn average_neighbours(const Context& context, const Neighbourhood& network,
                                const LoggedSample& sample, const Matrix<double>& values,
                                std::string name) {
  Matrix<double> total(values.rows(), 1);
  network.add_neighbours(context, values, total);
  SampleColumn out{.name = std::move(name), .of = "neighbours"};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const NodeIndex node = sample.nodes[i];
    const std::size_t num_neighbours = network.degree(node);
    if (num_neighbours == 0) continue;
    out.values.push_back(total(node, 0) / static_cast<double>(num_neighbours));
    out.rows.push_back(i);
  }
  return out;
}

/// Own features, then means over neighbours where there is a network.
std::vector<BalanceByArm> compare_columns(const Context& context, const BalanceColumns& columns,
                                          const Neighbourhood& network, const LoggedSample& sample,
                                          MatrixView<const double> e) {
  const bool has_edges = network.num_edge_ends() > 0;
  std::vector<BalanceByArm> own;
  std::vector<BalanceByArm> neighbours;
  for (std::size_t begin = 0; begin < columns.size(); begin += kColumnsAtOnce) {
    context.report("balance", begin, columns.size());
    const std::size_t count = std::min(kColumnsAtOnce, columns.size() - begin);
    std::vector<SampleColumn> block((has_edges ? 2 : 1) * count);
    context.for_each_range(count, 1, [&](std::size_t k, std::size_t) {
      const Matrix<double> values = columns.values(begin + k);
      const std::string& name = columns.name(begin + k);
      block[k] = take_own(sample, values.values(), name, "own");
      if (has_edges) {
        block[count + k] = average_neighbours(context, network, sample, values, name);
      }
    });
    std::vector<BalanceByArm> found = compare_arms(context, block, sample, e);
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(found.begin(), middle, std::back_inserter(own));
    std::move(middle, found.end(), std::back_inserter(neighbours));
  }
  context.report("balance", columns.size(), columns.size());
  std::move(neighbours.begin(), neighbours.end(), std::back_inserter(own));
  return own;
}

std::string describe_column(const ColumnBalance& column) {
  if (column.of == "degree") return "the degree";
  return fmt::format("'{}'{}", printable(column.name),
                     column.of == "neighbours" ? " averaged over neighbours" : "");
}

Verdict judge_balance(const ArmBalance& arm, const std::string& phrase) {
  const ColumnBalance* worst = nullptr;
  for (const ColumnBalance& column : arm.columns) {
    const double off = std::abs(column.after);
    const bool is_sure = off > kBalanced && off > kSignificantOfMany * column.error;
    if (is_sure && (worst == nullptr || off > std::abs(worst->after))) worst = &column;
  }
  if (worst != nullptr) {
    return {true,
            sentence("after weighting, the standardised mean difference of {} under {} is {:+.2f} "
                     "({:+.2f} before, limit {:g}): weighting alone does not balance the arms",
                     describe_column(*worst), phrase, worst->after, worst->before, kBalanced)};
  }
  return {false,
          sentence("after weighting, standardised mean differences under {} are at most {:.2f} "
                   "({:.2f} before){}",
                   phrase, arm.largest_after, arm.largest_before,
                   arm.largest_after > kBalanced ? ", which sampling error may explain" : "")};
}

}  // namespace

std::vector<ArmBalance> measure_balance(const Context& context, const FeatureTable& features,
                                        const Neighbourhood& network, const LoggedSample& sample,
                                        MatrixView<const double> e) {
  const BalanceColumns columns(features, sample, kMostNumeric, kMostCounts);
  std::vector<BalanceByArm> all = compare_columns(context, columns, network, sample, e);
  if (network.num_edge_ends() > 0) {
    std::vector<double> degree(network.size());
    for (std::size_t i = 0; i < degree.size(); ++i) {
      degree[i] = static_cast<double>(network.degree(i));
    }
    all.push_back(compare_arms(context, {take_own(sample, degree, "", "degree")}, sample, e)[0]);
  }
  std::vector<ArmBalance> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    ArmBalance arm{.arm = sample.arms[a]};
    for (BalanceByArm& column : all) {
      if (column.empty()) continue;
      arm.largest_before = std::fmax(arm.largest_before, std::abs(column[a].before));
      arm.largest_after = std::fmax(arm.largest_after, std::abs(column[a].after));
      arm.columns.push_back(std::move(column[a]));
    }
    if (arm.columns.empty()) continue;
    arm.verdict = judge_balance(arm, arm_phrase(sample.arms, a));
    out.push_back(std::move(arm));
  }
  return out;
}

}  // namespace cone
