#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/options.hpp"

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

/// A social and a geometric network, for the worlds below.
std::vector<StudyNetwork> generate_coverage_networks(const Context& context,
                                                     const CoverageOptions& options);

/// Settings of the study; those without unmeasured confounding get more simulations.
struct CoverageSettings {
  std::vector<StudySetting> settings;
  std::vector<bool> is_unconfounded;
};
CoverageSettings coverage_settings(std::span<const StudyNetwork> networks, std::uint64_t seed);

/// The rows of the study: naive, then those whose intervals are its subject.
ValueGroup coverage_group();

/// One-sided 95 % lower confidence limit of a proportion (Wilson 1927, Probable Inference, the Law
/// of Succession, and Statistical Inference).
double wilson_lower_limit(std::size_t hits, std::size_t trials);

struct CoverageTable {
  ValueTable values;
  std::vector<bool> is_unconfounded;  ///< of every setting
};

CoverageTable reproduce_coverage(const Context& context, std::span<const StudyNetwork> networks,
                                 int simulations, const CoverageOptions& options,
                                 const UnitWork& work);

StudyReport report_coverage(const CoverageTable& table);

}  // namespace cone
