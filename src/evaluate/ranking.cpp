#include "evaluate/ranking.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/arm_labels.hpp"

namespace cone {
namespace {

/// The kept column or the feature of that name.
std::optional<std::vector<double>> find_numbers(const Dataset& data, const std::string& name) {
  if (const NamedColumn* kept = data.find_kept(name)) return kept->values;
  const auto found = std::ranges::find(data.features.names, name);
  if (found == data.features.names.end()) return std::nullopt;
  const auto column = static_cast<std::uint32_t>(found - data.features.names.begin());
  std::vector<double> values(data.num_nodes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = data.features.matrix.row(i).at(column);
  }
  return values;
}

Place place_of_ranking(const std::string& name) {
  return {.item = fmt::format("--rank {}", printable(name))};
}

Fault refuse_unknown_ranking(const Dataset& data, std::span<const PolicyOnData> policies,
                             const std::string& name) {
  std::vector<std::string> known(data.features.names);
  for (const PolicyOnData& policy : policies) known.push_back(policy.name);
  // A text column became one indicator per level.
  const bool is_category = std::ranges::any_of(
      data.features.names, [&](const std::string& f) { return f.starts_with(name + "="); });
  if (is_category) {
    return {place_of_ranking(name), "is a text column, which has no order",
            "name a numeric column"};
  }
  const std::string nearest = closest_name(name, known);
  return {place_of_ranking(name), "is neither a policy of this run nor a numeric column",
          nearest.empty() ? "name one of the policies after --policy, or a column of the nodes"
                          : fmt::format("did you mean {}?", printable(nearest))};
}

std::optional<Arm> choose_ranked_arm(const Dataset& data, const std::string& label,
                                     std::vector<Fault>& faults) {
  if (label.empty()) {
    if (data.num_arms() == 2) return Arm{1};
    faults.push_back({{.item = "--rank"},
                      fmt::format("the data has {} arms, {}, and the arm of the highest-ranked "
                                  "units is not named",
                                  data.num_arms(), list_arms(data.arms)),
                      "name it by --rank-arm"});
    return std::nullopt;
  }
  const auto arm = find_arm(data.arms, label);
  if (arm && *arm != kControlArm) return arm;
  faults.push_back({{.item = fmt::format("--rank-arm {}", printable(label))},
                    arm ? "is the control arm, which units beyond the budget receive"
                        : fmt::format("the data has no arm '{}'", printable(label)),
                    fmt::format("the others are {}", list_arms(std::span(data.arms).subspan(1)))});
  return std::nullopt;
}

bool is_constant(const Communicator& comm, std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return -comm.allreduce_max(-low) == comm.allreduce_max(high);
}

}  // namespace

Ranking::Ranking(std::string name, bool is_policy, Arm arm, std::vector<double> scores,
                 std::span<const double> units, LearntOn learnt_on)
    : name_(std::move(name)),
      is_policy_(is_policy),
      learnt_on_(learnt_on),
      arm_(arm),
      scores_(std::move(scores)) {
  order_.resize(scores_.size());
  std::iota(order_.begin(), order_.end(), NodeIndex{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](NodeIndex a, NodeIndex b) { return scores_[a] > scores_[b]; });
  CompensatedSum before;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    if (k == 0 || scores_[order_[k]] != scores_[order_[k - 1]]) {
      group_begin_.push_back(k);
      units_before_.push_back(before.value());
    }
    before.add(units.empty() ? 1 : units[order_[k]]);
  }
  group_begin_.push_back(order_.size());
  units_before_.push_back(before.value());
}

Matrix<double> Ranking::treat_first(double share, std::size_t num_arms) const {
  Matrix<double> table(order_.size(), num_arms, 0.0);
  const double reached = share * units_before_.back();
  for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
    const double size = units_before_[g + 1] - units_before_[g];
    double probability = reached > units_before_[g] ? 1 : 0;  // of a group of weight 0
    if (size > 0) probability = std::clamp((reached - units_before_[g]) / size, 0.0, 1.0);
    for (std::size_t k = group_begin_[g]; k < group_begin_[g + 1]; ++k) {
      table(order_[k], arm_) = probability;
      table(order_[k], kControlArm) = 1 - probability;
    }
  }
  return table;
}

double Ranking::largest_tie() const {
  double largest = 0;
  for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
    largest = std::max(largest, units_before_[g + 1] - units_before_[g]);
  }
  return largest / units_before_.back();
}

std::vector<double> Ranking::positions() const {
  std::vector<double> out(order_.size());
  for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
    const double middle = (units_before_[g] + units_before_[g + 1]) / 2;
    for (std::size_t k = group_begin_[g]; k < group_begin_[g + 1]; ++k) {
      out[order_[k]] = 1 - middle / units_before_.back();
    }
  }
  return out;
}

std::vector<Ranking> find_rankings(const Dataset& data, std::span<const PolicyOnData> policies,
                                   const BudgetCurveOptions& options) {
  std::vector<Ranking> rankings;
  if (options.rank.empty()) return rankings;
  std::vector<Fault> faults;
  const std::optional<Arm> arm = choose_ranked_arm(data, options.rank_arm, faults);
  for (std::size_t k = 0; arm && k < options.rank.size(); ++k) {
    const std::string& name = options.rank[k];
    if (std::ranges::find(rankings, name, &Ranking::name) != rankings.end()) {
      faults.push_back({place_of_ranking(name), "is named twice", "name it once"});
      continue;
    }
    const auto policy = std::ranges::find(policies, name, &PolicyOnData::name);
    const bool is_policy = policy != policies.end();
    std::optional<std::vector<double>> scores =
        is_policy ? arm_column(policy->probability.view(), *arm) : find_numbers(data, name);
    if (is_policy && find_numbers(data, name)) {
      faults.push_back({place_of_ranking(name), "is a policy of this run and a column of the nodes",
                        "rename one of them"});
    } else if (!scores) {
      faults.push_back(refuse_unknown_ranking(data, policies, name));
    } else if (is_constant(data.comm(), *scores)) {
      faults.push_back(
          {place_of_ranking(name),
           is_policy
               ? fmt::format(
                     "assigns '{}' to every node with the same probability: it gives no ranking",
                     printable(data.arms[*arm]))
               : "has the same value for every node: it gives no ranking",
           "name another policy or column"});
    } else {
      const LearntOn learnt_on =
          is_policy ? find_learnt_policies(data, std::span(&*policy, 1))[0] : LearntOn::kOtherData;
      rankings.emplace_back(name, is_policy, *arm, std::move(*scores), data.weight, learnt_on);
    }
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return rankings;
}

std::vector<std::string> name_ranking_policies(const Communicator& comm,
                                               std::span<const PolicyOnData> policies) {
  std::vector<std::string> names;
  for (const PolicyOnData& policy : policies) {
    if (!is_constant(comm, arm_column(policy.probability.view(), kControlArm))) {
      names.push_back(policy.name);
    }
  }
  return names;
}

std::vector<KeptColumn> ranking_columns(std::span<const std::string> rank) {
  std::vector<KeptColumn> columns;
  for (const std::string& name : rank) columns.push_back({name, "--rank", true});
  return columns;
}

}  // namespace cone
