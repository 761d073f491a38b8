#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/options.hpp"

#include "study/decision_claims.hpp"
#include "study/value_study.hpp"

// `cone reproduce coverage`: coverage of the sampling and sensitivity intervals.

namespace cone {

struct CoverageOptions {
  std::uint32_t coverage_nodes = 1000;
  int unconfounded_simulations = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("coverage_nodes", self.coverage_nodes, "Nodes of the generated networks (coverage)",
            between(100, 1e6));
    visitor("unconfounded_simulations", self.unconfounded_simulations,
            "Simulations of the worlds without unmeasured confounding (coverage); 0: five times "
            "--simulations",
            between(0, 1e6));
  }
};

/// A world; unconfounded ones get more simulations.
struct CoverageSetting {
  ValueSetting value;
  bool is_unconfounded = false;
};

inline constexpr std::array<std::string_view, 6> kCoverageRows = {
    "network_dm", "network_joint", "dr_ridge", "cohesion_dm", "spectral_dm", "spectral_dr"};

/// A social and a geometric network, for the worlds below.
std::vector<StudyNetwork> generate_coverage_networks(const Context& context,
                                                     const CoverageOptions& options);
std::vector<CoverageSetting> coverage_settings(std::span<const StudyNetwork> networks,
                                               std::uint64_t seed);

/// Coverage of the intervals of one row, for one policy in one setting.
struct CoverageCell {
  std::size_t num_simulations = 0;
  std::size_t num_intervals = 0;  ///< simulations in which the row has one
  double interval = 0;            ///< coverage of the intervals
  double sampling = 0;            ///< of those for sampling error alone
  std::size_t num_sensitivity_interval = 0;
  double sensitivity_interval = 0;  ///< coverage of the sensitivity intervals
  double sensitivity_least = 0;     ///< its one-sided 95 % lower confidence limit (Wilson)
  double half_width = 0;            ///< medians
  double sampling_half_width = 0;
  double sensitivity_half_width = 0;
  double bias = 0;
  double rmse = 0;
  double naive_rmse = 0;
  /// Coverage of value ± 1.96 standard errors under every dependence; NaN without any.
  std::vector<std::pair<std::string, double>> by_dependence;
};

struct CoverageTable {
  std::vector<std::string> settings;
  std::vector<bool> is_unconfounded;
  std::vector<std::vector<std::string>> policies;  ///< of every setting
  /// [setting][policy of the setting][row of kCoverageRows]
  std::vector<std::vector<std::vector<CoverageCell>>> cells;
  std::vector<DecisionClaims> decisions;  ///< of every setting
  std::uint64_t seed = 0;
  StudyRun run;
};

/// One-sided 95 % lower confidence limit of a proportion (Wilson 1927, Probable Inference, the Law
/// of Succession, and Statistical Inference).
double wilson_lower_limit(std::size_t hits, std::size_t trials);

CoverageTable reproduce_coverage(const Context& context, std::span<const StudyNetwork> networks,
                                 int simulations, const CoverageOptions& options,
                                 const UnitWork& work);

std::string coverage_text(const CoverageTable& table);
std::string coverage_markdown(const CoverageTable& table);
std::string coverage_csv(const CoverageTable& table);
nlohmann::ordered_json coverage_json(const CoverageTable& table);

}  // namespace cone
