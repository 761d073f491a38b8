#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/matrix.hpp"
#include "cone/policy.hpp"

namespace cone {

/// An order of the units by a score, the highest first. Ties are broken at random: where a budget
/// ends among units of the same score, each is treated with the same probability.
class Ranking {
 public:
  /// `scores`: one per node, finite. `arm`: that units within the budget receive. `units`: survey
  /// weights; empty where all are 1.
  Ranking(std::string name, bool is_policy, Arm arm, std::vector<double> scores,
          std::span<const double> units = {}, LearntOn learnt_on = LearntOn::kOtherData);

  const std::string& name() const { return name_; }
  bool is_policy() const { return is_policy_; }
  LearntOn learnt_on() const { return learnt_on_; }
  Arm arm() const { return arm_; }

  /// The policy that assigns the arm to exactly this share of the units, and the control arm to the
  /// others: nodes × arms.
  Matrix<double> treat_first(double share, std::size_t num_arms) const;
  /// Share of the units in the largest group of equal scores.
  double largest_tie() const;
  /// Mid-ranks of the nodes, from 0 (last) to 1 (first).
  std::vector<double> positions() const;

 private:
  std::string name_;
  bool is_policy_;
  LearntOn learnt_on_;
  Arm arm_;
  std::vector<double> scores_;
  std::vector<NodeIndex> order_;          // by descending score
  std::vector<std::size_t> group_begin_;  // in order_, of nodes with one score; the end last
  std::vector<double> units_before_;      // every group; all of them last
};

/// The rankings that the options name, by policies or numeric columns (kept ones or features).
/// Throws Error(kUsage) listing every fault: names that are neither or both, constant scores, an
/// unknown arm.
std::vector<Ranking> find_rankings(const Dataset& data, std::span<const PolicyOnData> policies,
                                   const BudgetCurveOptions& options);

}  // namespace cone
