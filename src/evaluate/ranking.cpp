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
#include "data/gather_rows.hpp"

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

/// Of all nodes, in this process.
Ranking::Bounds find_bounds(std::span<const double> scores, std::span<const double> units) {
  std::vector<NodeIndex> order(scores.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeIndex a, NodeIndex b) { return scores[a] > scores[b]; });
  Ranking::Bounds out(scores.size(), 2);
  CompensatedSum before;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    const double first = before.value();
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      before.add(units.empty() ? 1 : units[order[end]]);
    }
    for (; begin < end; ++begin) {
      out(order[begin], 0) = first;
      out(order[begin], 1) = before.value();
    }
  }
  return out;
}

Ranking::Bounds find_bounds(const Dataset& data, std::span<const double> scores) {
  if (!data.distributed) return find_bounds(scores, data.weight);
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  Matrix<double> own(nodes.size(), 2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    own(i, 0) = scores[i];
    own(i, 1) = data.weight.empty() ? 1 : data.weight[i];
  }
  const RowsOnRoot rows(data, nodes);
  const Matrix<double> all = rows.gather(std::move(own));
  return rows.scatter(find_bounds(arm_column(all.view(), 0), arm_column(all.view(), 1)), 2);
}

}  // namespace

Ranking::Ranking(std::string name, bool is_policy, Arm arm, const std::vector<double>& scores,
                 std::span<const double> units)
    : Ranking(std::move(name), is_policy, LearntOn::kOtherData, arm, find_bounds(scores, units),
              Communicator::self()) {}

Ranking::Ranking(std::string name, bool is_policy, LearntOn learnt_on, Arm arm, Bounds bounds,
                 const Communicator& comm)
    : name_(std::move(name)),
      is_policy_(is_policy),
      learnt_on_(learnt_on),
      arm_(arm),
      bounds_(std::move(bounds)) {
  for (std::size_t i = 0; i < bounds_.rows(); ++i) {
    total_ = std::max(total_, bounds_(i, 1));
    largest_ = std::max(largest_, bounds_(i, 1) - bounds_(i, 0));
  }
  total_ = comm.allreduce_max(total_);
  largest_ = comm.allreduce_max(largest_);
}

Matrix<double> Ranking::treat_first(double share, std::size_t num_arms) const {
  Matrix<double> table(bounds_.rows(), num_arms, 0.0);
  const double reached = share * total_;
  for (std::size_t i = 0; i < bounds_.rows(); ++i) {
    const double before = bounds_(i, 0);
    const double size = bounds_(i, 1) - before;
    double probability = reached > before ? 1 : 0;  // of a group of weight 0
    if (size > 0) probability = std::clamp((reached - before) / size, 0.0, 1.0);
    table(i, arm_) = probability;
    table(i, kControlArm) = 1 - probability;
  }
  return table;
}

std::vector<double> Ranking::positions() const {
  std::vector<double> out(bounds_.rows());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 1 - (bounds_(i, 0) + bounds_(i, 1)) / 2 / total_;
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
      rankings.emplace_back(name, is_policy, learnt_on, *arm, find_bounds(data, *scores),
                            data.comm());
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
