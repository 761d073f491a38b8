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

/// An order of the units by a score, the highest first. Units of the same score are alike: where
/// a budget ends among them, each has the same chance.
class Ranking {
 public:
  /// `scores`: one per node, finite. `arm`: what those who are reached get. `units`: how many a
  /// node stands for; empty where it is one each.
  Ranking(std::string name, bool is_policy, Arm arm, std::vector<double> scores,
          std::span<const double> units = {});

  const std::string& name() const { return name_; }
  bool is_policy() const { return is_policy_; }
  Arm arm() const { return arm_; }

  /// The policy that gives the arm to this share of the units, exactly, and to the others the
  /// control arm: nodes × arms.
  Matrix<double> treat_first(double share, std::size_t num_arms) const;
  /// Share of the units in the largest group of one score.
  double largest_tie() const;
  /// Where a node stands, from 0 (last) to 1 (first); units of one score stand in their middle.
  std::vector<double> positions() const;

 private:
  std::string name_;
  bool is_policy_;
  Arm arm_;
  std::vector<double> scores_;
  std::vector<NodeIndex> order_;          // by descending score
  std::vector<std::size_t> group_begin_;  // in order_, of nodes with one score; the end last
  std::vector<double> units_before_;      // every group; all of them last
};

/// What the options name, policies or columns. A column is one that was kept or a feature of
/// numbers. Throws Error(kUsage) listing every fault: names that are neither or both, a ranking
/// that ranks nobody, an arm that is not there.
std::vector<Ranking> find_rankings(const Dataset& data, std::span<const PolicyOnData> policies,
                                   const BudgetCurveOptions& options);

/// Names of the policies whose probability of treatment is not the same for everyone.
std::vector<std::string> name_ranking_policies(std::span<const PolicyOnData> policies);

/// The columns that --rank may name, for the loader.
std::vector<KeptColumn> ranking_columns(std::span<const std::string> rank);

}  // namespace cone
