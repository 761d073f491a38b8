#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "cone/record.hpp"

#include "study/study_view.hpp"

// What evaluations of simulated data say of all policies together, beside the truth.

namespace cone {

/// Claims of one kind, and how many of them are true.
struct ClaimCount {
  std::size_t made = 0;
  std::size_t correct = 0;

  void add(bool is_correct) {
    ++made;
    correct += is_correct ? 1 : 0;
  }
  double share() const;  ///< that are true; NaN without any
};

/// What the headline row says of all policies together, in one setting. The logged policy is one of
/// them.
struct DecisionClaims {
  std::size_t num_simulations = 0;  ///< with joint bands for all policies
  ClaimCount bands;                 ///< family-wise: all joint bands cover
  ClaimCount best_set;              ///< the confidence set covers the best policy
  ClaimCount ranks;                 ///< every policy has its true rank in its set
  ClaimCount sensitivity_ranks;
  /// On differences from the logged policy: the sign of the estimate is the true one.
  ClaimCount supported, conditional;
  ClaimCount single_best;

  /// Adds the result of describe_decision() for one simulation.
  void add(const nlohmann::ordered_json& decision);
};

/// A decision for the sample beside the truth: {"all_bands_hold", "best_in_set", "verdicts":
/// {VERDICT: {"given", "true"}}, "single_best_is_right", "ranks_hold", "sensitivity_ranks_hold"};
/// null where a policy has no band. The logged policy, whose value is known, is one of those that
/// may be the best. Verdicts are those on differences from it; one is true where the difference has
/// the sign of the estimate. "single_best_is_right" is null where no single best is named, the last
/// two where a policy has no ranks.
nlohmann::ordered_json describe_decision(const Decision& decision);
bool is_decision(const nlohmann::ordered_json& json);

/// One row per setting, whose name is in the column `key`.
StudyTable claim_records(const std::string& key, std::span<const std::string> settings,
                         std::span<const DecisionClaims> decisions);
ShownTable show_claims(std::span<const std::string> settings,
                       std::span<const DecisionClaims> decisions);

}  // namespace cone
