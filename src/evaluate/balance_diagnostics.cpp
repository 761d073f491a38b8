#include "evaluate/balance_diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "evaluate/balance_columns.hpp"
#include "evaluate/overlap_diagnostics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md says why.
constexpr std::size_t kMostMeasurements = 50;
constexpr std::size_t kMostCounts = 20;
constexpr double kBalanced = 0.1;            // standard deviations
constexpr double kBeyondChanceOfMany = 4.0;  // standard errors: there are many columns
constexpr double kConstant = 1e-12;

/// Values of some nodes of the sample.
struct SampleColumn {
  std::string name;
  std::string of;
  std::vector<double> values;       ///< one per place
  std::vector<std::size_t> places;  ///< in the sample
};

/// One per arm; empty where the values are all the same.
using BalanceByArm = std::vector<ColumnBalance>;

BalanceByArm compare_arms(const SampleColumn& column, const LoggedSample& sample,
                          MatrixView<const double> e) {
  if (column.values.size() < 2) return {};
  const auto people = [&](std::size_t k) { return sample.weight_of(column.places[k]); };
  CompensatedSum total;
  CompensatedSum num_people;
  for (std::size_t k = 0; k < column.values.size(); ++k) {
    total.add(people(k) * column.values[k]);
    num_people.add(people(k));
  }
  const double centre = total.value() / num_people.value();
  const double sd = std::sqrt(variance(column.values, 0));
  if (!(sd > kConstant)) return {};
  BalanceByArm out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    CompensatedSum plain;
    CompensatedSum weighted;
    CompensatedSum total_weight;
    double num_nodes = 0;
    const auto weight = [&](std::size_t k) {
      const double chance = e(column.places[k], a);
      return chance > 0 ? people(k) / chance : 0.0;
    };
    const auto is_in_arm = [&](std::size_t k) { return sample.arm[column.places[k]] == a; };
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      if (!is_in_arm(k)) continue;
      const double x = (column.values[k] - centre) / sd;
      plain.add(people(k) * x);
      weighted.add(weight(k) * x);
      total_weight.add(weight(k));
      num_nodes += people(k);
    }
    ColumnBalance balance{.name = column.name, .of = column.of};
    balance.before = num_nodes > 0 ? plain.value() / num_nodes : kNaN;
    balance.after = total_weight.value() > 0 ? weighted.value() / total_weight.value() : kNaN;
    CompensatedSum squares;  // of a weighted mean whose nodes came into the arm by chance e
    for (std::size_t k = 0; k < column.values.size(); ++k) {
      if (!is_in_arm(k)) continue;
      const double x = (column.values[k] - centre) / sd - balance.after;
      squares.add(weight(k) * weight(k) * (1 - e(column.places[k], a)) * x * x);
    }
    balance.error = std::sqrt(std::max(0.0, squares.value())) / total_weight.value();
    out.push_back(std::move(balance));
  }
  return out;
}

/// Of nodes that have friends.
SampleColumn average_friends(const Graph& graph, const LoggedSample& sample,
                             const std::vector<double>& values, std::string name) {
  SampleColumn out{.name = std::move(name), .of = "friends"};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto friends = graph.neighbours(sample.nodes[i]);
    if (friends.empty()) continue;
    double total = 0;
    for (const NodeIndex j : friends) total += values[j];
    out.values.push_back(total / static_cast<double>(friends.size()));
    out.places.push_back(i);
  }
  return out;
}

/// `values`: one per node of the data.
SampleColumn take_own(const LoggedSample& sample, const std::vector<double>& values,
                      std::string name, std::string of) {
  SampleColumn out{.name = std::move(name), .of = std::move(of)};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.values.push_back(values[sample.nodes[i]]);
    out.places.push_back(i);
  }
  return out;
}

std::string describe_column(const ColumnBalance& column) {
  if (column.of == "degree") return "the number of friends";
  return fmt::format("'{}'{}", printable(column.name), column.of == "friends" ? " of friends" : "");
}

Verdict judge_balance(const ArmBalance& arm, const std::string& phrase) {
  const ColumnBalance* worst = nullptr;
  for (const ColumnBalance& column : arm.columns) {
    const double off = std::abs(column.after);
    const bool is_sure = off > kBalanced && off > kBeyondChanceOfMany * column.error;
    if (is_sure && (worst == nullptr || off > std::abs(worst->after))) worst = &column;
  }
  if (worst != nullptr) {
    return {true,
            fmt::format("weighting leaves those with {} {:+.2f} standard deviations off in "
                        "{} ({:+.2f} before, limit {:g}): weights alone do not make the arms "
                        "comparable",
                        phrase, worst->after, describe_column(*worst), worst->before, kBalanced)};
  }
  return {false, fmt::format("after weighting, those with {} are at most {:.2f} standard "
                             "deviations off in any column ({:.2f} before){}",
                             phrase, arm.largest_after, arm.largest_before,
                             arm.largest_after > kBalanced ? ", which chance may explain" : "")};
}

}  // namespace

std::vector<ArmBalance> measure_balance(const Context& context, const Dataset& data,
                                        const LoggedSample& sample, MatrixView<const double> e) {
  const BalanceColumns columns(data.features, sample, kMostMeasurements, kMostCounts);
  const bool has_edges = data.graph.num_edges() > 0;
  std::vector<BalanceByArm> own(columns.size());
  std::vector<BalanceByArm> friends(columns.size());
  context.for_each_task("balance", columns.size(), [&](std::size_t k) {
    const std::vector<double> values = columns.values(k);
    own[k] = compare_arms(take_own(sample, values, columns.name(k), "own"), sample, e);
    context.poll();
    if (!has_edges) return;
    friends[k] =
        compare_arms(average_friends(data.graph, sample, values, columns.name(k)), sample, e);
  });
  std::vector<BalanceByArm> all = std::move(own);
  all.insert(all.end(), friends.begin(), friends.end());
  if (has_edges) {
    std::vector<double> degree(data.num_nodes());
    for (std::size_t i = 0; i < degree.size(); ++i) {
      degree[i] = static_cast<double>(data.graph.degree(static_cast<NodeIndex>(i)));
    }
    all.push_back(compare_arms(take_own(sample, degree, "", "degree"), sample, e));
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
