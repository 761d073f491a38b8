#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"
#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"
#include "simulate/simulated_data.hpp"
#include "study/run_units.hpp"

// The experiment of docs/method.md, section 8, as a list of independent units.

namespace cone {

struct StudyOptions {
  int simulations = 10;
  int runs = 10;
  Normalisation normalisation = Normalisation::kNone;
  bool tune = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("simulations", self.simulations, "Simulations of each setting", between(2, 1000));
    visitor("runs", self.runs,
            "Splits of each simulation (table2; figure2 takes 1 unless you name a number)",
            between(1, 1000));
    visitor("normalisation", self.normalisation, "Scaling of the hidden edge weights");
    visitor("tune", self.tune,
            "Choose cone's options by validation loss on a separate simulation (table2, figure2)");
  }
};

/// Which rows a study has, where it lets the user choose.
struct StudyRows {
  std::vector<std::string> estimators;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("estimators", self.estimators,
            "Rows of the study, where not all are wanted (value, worlds, effects)");
  }
};

/// A network that logs are simulated on.
struct StudyNetwork {
  std::string name;
  TopicNetwork network;
  std::string checksum;  ///< of all that logs are simulated from
};

/// With the checksum.
StudyNetwork name_network(std::string name, TopicNetwork network);

/// The two real networks of a folder, or the embedded one where `data` is "demo". Throws
/// Error(kData), saying where the files are published and their checksums, when they are not there.
std::vector<StudyNetwork> load_study_networks(const Context& context, const std::string& data);

/// One setting of the study: everything but the simulation and the run.
struct StudySetting {
  const StudyNetwork* network = nullptr;
  double kappa2 = 1;
  Normalisation normalisation = Normalisation::kNone;
  std::uint64_t seed = 0;  ///< of the simulations

  /// "BlogCatalog, kappa2 = 1"
  std::string name() const;
};

/// Every network at both strengths of the neighbours' influence.
std::vector<StudySetting> study_settings(std::span<const StudyNetwork> networks,
                                         const StudyOptions& options, std::uint64_t seed);

/// The dataset of one simulation.
LoadedData simulated_log(const Context& context, const StudySetting& setting,
                         std::uint64_t simulation);

/// One line of the results: an estimator, and how it corrects.
struct StudyMethod {
  std::string_view label;
  std::string_view estimator;
  Correction correction = Correction::kSelfNormalised;
  bool normalised_kernel = true;
};

/// Methods that share what they fit, and are computed together.
struct MethodGroup {
  std::string_view name;
  std::span<const StudyMethod> methods;
  /// Their outcome models select nothing, so they fit on train and validation together
  /// (estimate_joined); all methods have the default correction.
  bool joins_validation = false;
};

/// The groups whose options are chosen: networks on features, and cone's.
inline constexpr std::string_view kNetworksGroup = "nn";
inline constexpr std::string_view kConeGroup = "cone";

/// All groups of table 2.
std::span<const MethodGroup> method_groups();
/// The part of cone's that figure 2 needs.
const MethodGroup& figure_methods();

/// What dm_nn and dr_nn choose from.
std::vector<ConeOptions> network_candidates();
/// The candidate with the least error on the nodes that the plan selects with.
ConeOptions choose_networks(const Context& context, const Dataset& data, const PlanOptions& plan);

/// The unit that evaluates a group on one split of one simulation by the paper's protocol, with the
/// policy random-weights:SIMULATION. The split and the initial weights have the seed
/// setting.seed + 100000·simulation + run. Its result: {"truth": ..., "values": {label: value or
/// null}}; with cone's also "training", what the fit reached on the validation nodes. Networks on
/// features choose their own options among network_candidates() on the
/// validation nodes; `networks` are cone's. The setting's network must outlive it.
Unit study_unit(const StudySetting& setting, std::uint64_t simulation, std::uint64_t run,
                const MethodGroup& group, const ConeOptions& networks);

/// A simulation that no table shows, for choosing options.
inline constexpr std::uint64_t kTuningSimulation = 1'000'000;

/// The options of networks for a setting: by tune() on kTuningSimulation, or the defaults. Adds
/// points that failed to `failures`.
ConeOptions tune_setting(const Context& context, const StudySetting& setting,
                         const StudyOptions& options, const UnitWork& work,
                         std::vector<std::string>& failures);

}  // namespace cone
