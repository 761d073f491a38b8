#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/options.hpp"

#include "study/value_study.hpp"

// `cone reproduce worlds`: estimators compared under many data-generating processes.

namespace cone {

/// Options of the synthetic worlds.
struct WorldsOptions {
  std::uint32_t nodes = 2000;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("nodes", self.nodes, "Nodes of the generated networks (worlds, ablation)",
            between(100, 1e6));
  }
};

/// Networks generated for a study: a social one, and the same nodes without edges.
std::vector<StudyNetwork> generate_study_networks(const Context& context,
                                                  const WorldsOptions& options);

/// The given networks with normalised edge weights (row-normalised and symmetric in turn) at κ2 =
/// 2, then every synthetic world on `generated`, from generate_study_networks(), and the
/// self-contained worlds of two arms, for which kStudyPolicies are defined.
std::vector<StudySetting> world_settings(std::span<const StudyNetwork> networks,
                                         std::span<const StudyNetwork> generated,
                                         std::uint64_t seed);

/// Whether a row is worse than the best reference estimator, for one policy in one setting.
struct HarmVerdict {
  std::string policy;
  std::string setting;
  std::string method;
  std::string best;  ///< of naive, dm_ridge, cone and cone_dm: the one with the least RMSE
  double ratio = 0;  ///< of the two RMSE
  /// p value of the one-sided paired t test over simulations that the mean of error² exceeds 1.1²
  /// times that of the best.
  double p = 1;

  /// RMSE more than 10 % larger, with p < 0.05.
  bool is_harm() const { return ratio > kTolerance && p < 0.05; }
  static constexpr double kTolerance = 1.1;
};

/// For every row of the table that uses the network ridge.
std::vector<HarmVerdict> judge_harm(const ValueTable& table);

ValueTable reproduce_worlds(const Context& context, std::span<const StudyNetwork> networks,
                            std::span<const StudyNetwork> generated, int simulations,
                            std::span<const std::string> estimators, const UnitWork& work);

/// The record is value_json() with the verdicts.
StudyReport report_worlds(const ValueTable& table);

}  // namespace cone
