#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/options.hpp"
#include "cone/settings.hpp"

#include "study/value_study.hpp"

// `cone reproduce coverage`: do intervals hold the truth as often as they promise?

namespace cone {

struct CoverageOptions {
  std::uint32_t coverage_nodes = 1000;
  int quiet_simulations = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("coverage_nodes", self.coverage_nodes, "Nodes of the generated networks (coverage)",
            between(100, 1e6));
    visitor("quiet_simulations", self.quiet_simulations,
            "Simulations of the worlds where nothing is hidden (coverage); 0: five times "
            "--simulations",
            between(0, 1e6));
  }
};

/// A world, and how often to draw it.
struct CoverageSetting {
  ValueSetting value;
  bool hides_nothing = false;
};

inline constexpr std::array<std::string_view, 2> kCoverageRows = {"network_dm", "dr_ridge"};

/// Social networks and a geometric one, for the worlds below.
std::vector<StudyNetwork> generate_coverage_networks(const Context& context,
                                                     const CoverageOptions& options);
std::vector<CoverageSetting> coverage_settings(std::span<const StudyNetwork> networks,
                                               std::uint64_t seed);

/// How often intervals of one row held the truth, for one policy in one setting.
struct CoverageCell {
  std::size_t num_simulations = 0;
  std::size_t num_intervals = 0;  ///< simulations in which the row had one
  double sampling = 0;            ///< share of the intervals that hold the truth
  std::size_t num_sensitivity_interval = 0;
  double sensitivity_interval = 0;  ///< the same of the sensitivity intervals
  double sensitivity_least = 0;     ///< lower end of its one-sided 95 % confidence (Wilson)
  double half_width = 0;            ///< medians
  double sensitivity_half_width = 0;
  double rmse = 0;
  double naive_rmse = 0;
  /// Share of the intervals value ± 1.96 standard errors, by every dependence; NaN without any.
  std::vector<std::pair<std::string, double>> by_dependence;
};

struct CoverageTable {
  std::vector<std::string> settings;
  std::vector<bool> hides_nothing;
  /// [setting][policy of kStudyPolicies][row of kCoverageRows]
  std::vector<std::vector<std::vector<CoverageCell>>> cells;
  /// Share of simulations in which the joint bands of the headline row hold all truths at once.
  std::vector<double> family_wise;
  std::vector<double> best_set;  ///< ... in which the set that holds the best does
  std::uint64_t seed = 0;
  StudyRun run;
};

/// The lower end of the one-sided 95 % confidence of a share.
double least_share(std::size_t hits, std::size_t trials);

CoverageTable reproduce_coverage(const Context& context, std::span<const StudyNetwork> networks,
                                 int simulations, const CoverageOptions& options,
                                 const UnitWork& work);

std::string coverage_text(const CoverageTable& table);
std::string coverage_markdown(const CoverageTable& table);
std::string coverage_csv(const CoverageTable& table);
nlohmann::ordered_json coverage_json(const CoverageTable& table);

}  // namespace cone
