#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/matrix.hpp"
#include "cone/policy.hpp"

namespace cone {

/// An order of the units by a score, the highest first. Ties are broken at random: where a budget
/// ends among units of the same score, each is treated with the same probability.
class Ranking {
 public:
  /// Of every node, the survey weights before those of its score, and with them: nodes × 2.
  using Bounds = Matrix<double>;

  /// `scores`: one per node, finite. `arm`: that units within the budget receive. `units`: survey
  /// weights; empty where all are 1.
  Ranking(std::string name, bool is_policy, Arm arm, const std::vector<double>& scores,
          std::span<const double> units = {});
  /// The nodes of several ranks. Collective.
  Ranking(std::string name, bool is_policy, LearntOn learnt_on, Arm arm, Bounds bounds,
          const Communicator& comm);

  const std::string& name() const { return name_; }
  bool is_policy() const { return is_policy_; }
  LearntOn learnt_on() const { return learnt_on_; }
  Arm arm() const { return arm_; }

  /// The policy that assigns the arm to exactly this share of the units, and the control arm to the
  /// others: nodes × arms.
  Matrix<double> treat_first(double share, std::size_t num_arms) const;
  /// Share of the units in the largest group of equal scores.
  double largest_tie() const { return largest_ / total_; }
  /// Mid-ranks of the nodes, from 0 (last) to 1 (first).
  std::vector<double> positions() const;

 private:
  std::string name_;
  bool is_policy_;
  LearntOn learnt_on_;
  Arm arm_;
  Bounds bounds_;
  double total_ = 0;    // of all units
  double largest_ = 0;  // of those with one score
};

/// The rankings that the options name, by policies or numeric columns (kept ones or features).
/// Throws Error(kUsage) listing every fault: names that are neither or both, constant scores, an
/// unknown arm. Collective: of distributed data the root ranks the nodes.
std::vector<Ranking> find_rankings(const Dataset& data, std::span<const PolicyOnData> policies,
                                   const BudgetCurveOptions& options);

}  // namespace cone
