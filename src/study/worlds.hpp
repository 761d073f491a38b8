#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/options.hpp"

#include "study/value_study.hpp"

// `cone reproduce worlds`: does an estimator do harm anywhere?

namespace cone {

/// What the synthetic worlds are made of.
struct WorldsOptions {
  std::uint32_t nodes = 2000;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("nodes", self.nodes, "Nodes of the generated networks (worlds, ablation)",
            between(100, 1e6));
  }
};

/// Networks that were generated for a study: a social one, and the same units without any edge.
std::vector<StudyNetwork> generate_study_networks(const Context& context,
                                                  const WorldsOptions& options);

/// The given networks with scaled edge weights (row-normalised and symmetric in turn) at kappa2 =
/// 2, then every synthetic world on `generated`, as generate_study_networks() made them.
std::vector<ValueSetting> world_settings(std::span<const StudyNetwork> networks,
                                         std::span<const StudyNetwork> generated,
                                         std::uint64_t seed);

/// Whether a row is worse than one could have had without it, for one policy in one setting.
struct HarmVerdict {
  std::string policy;
  std::string setting;
  std::string method;
  std::string best;  ///< of naive, dm_ridge, cone and cone_dm: the one with the least RMSE
  double ratio = 0;  ///< of the two RMSE
  /// One-tailed p of the paired t test over simulations that the mean of error² exceeds 1.1² times
  /// that of the best.
  double p = 1;

  /// More than a tenth worse, and not by chance (p < 0.05).
  bool is_harm() const { return ratio > kTolerance && p < 0.05; }
  static constexpr double kTolerance = 1.1;
};

/// Of every row on the network ridge that the table has.
std::vector<HarmVerdict> judge_harm(const ValueTable& table);

ValueTable reproduce_worlds(const Context& context, std::span<const StudyNetwork> networks,
                            std::span<const StudyNetwork> generated, int simulations,
                            std::span<const std::string> estimators, const UnitWork& work);

std::string worlds_text(const ValueTable& table);
std::string worlds_markdown(const ValueTable& table);
/// value_json() with the verdicts.
nlohmann::ordered_json worlds_json(const ValueTable& table);

}  // namespace cone
