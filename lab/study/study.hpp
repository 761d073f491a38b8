#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"
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
    visitor("runs", self.runs, "Random splits of each simulation (table2; figure2: 1 by default)",
            between(1, 1000));
    visitor("normalisation", self.normalisation, "Normalisation of the unobserved edge weights");
    visitor("tune", self.tune,
            "Choose cone's options by validation loss on a separate simulation (table2, figure2)");
  }
};

/// The rows of a study, where the user can choose them.
struct StudyRows {
  std::vector<std::string> estimators;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(
        "estimators", self.estimators,
        "Estimators of the study (table2, values, worlds, effects); a default set if not given");
  }
};

/// Intervals are for the sample, as truths are those of the simulated units.
inline EvaluateOptions study_evaluation() {
  EvaluateOptions options;
  options.estimator.target = Target::kSample;
  return options;
}

/// A network to simulate treatments and outcomes on.
struct StudyNetwork {
  std::string name;
  TopicNetwork network;
  std::string checksum;  ///< of the network, its features and topics
};

/// Adds the checksum.
StudyNetwork name_network(std::string name, TopicNetwork network);

/// The two real networks of a folder, or the built-in one where `data` is "demo". Throws
/// Error(kData) where the files are missing, with their source and checksums.
std::vector<StudyNetwork> load_study_networks(const Context& context, const std::string& data);

/// Data to simulate: everything but the number of the simulation.
struct StudySetting {
  std::string name;                       ///< "BlogCatalog, kappa2 = 1"
  const StudyNetwork* network = nullptr;  ///< null where the world is self-contained
  OutcomeOptions outcome;
  std::uint64_t seed = 0;  ///< of the simulations
};

/// A network with the strength κ2 of the unmeasured confounder in its name.
StudySetting network_setting(const StudyNetwork& network, OutcomeOptions outcome,
                             std::uint64_t seed);
/// Every network at κ2 = 1 and 2.
std::vector<StudySetting> study_settings(std::span<const StudyNetwork> networks,
                                         Normalisation normalisation, std::uint64_t seed);
/// A self-contained world under its own name.
StudySetting self_contained_setting(World world, std::uint64_t seed);

/// The dataset of one simulation.
LoadedData simulate_setting(const Context& context, const StudySetting& setting,
                            std::uint64_t simulation);

/// The unit of a group of rows on one simulation of a setting, yet without a function to run. Its
/// identity has everything that all studies have in common. Splits, folds and initial weights have
/// the seed setting.seed + 100000·simulation + run, so that simulations are independent.
Unit unit_on_simulation(std::string kind, const StudySetting& setting, std::uint64_t simulation,
                        std::string_view group, const EvaluateOptions& options,
                        std::uint64_t run = 0);

/// One row of the results: an estimator and its correction.
struct StudyMethod {
  std::string_view label;
  std::string_view estimator;
  Correction correction = Correction::kSelfNormalised;
  bool normalised_kernel = true;
};

/// Which nodes the outcome models of a group are fitted to.
enum class FitNodes {
  kTrain,               ///< selection on the validation nodes
  kTrainAndValidation,  ///< no selection (estimate_joined); methods have the default correction
  kAll,  ///< no split: cross-fitted once per simulation (estimate_by_joint_model), evaluated on the
         ///< test nodes of every run
};

/// Methods that share fitted models and are computed together.
struct MethodGroup {
  std::string_view name;
  std::span<const StudyMethod> methods;
  FitNodes fit_nodes = FitNodes::kTrain;
};

/// The groups whose options are selected: networks on features, and cone's.
inline constexpr std::string_view kNetworksGroup = "nn";
inline constexpr std::string_view kConeGroup = "cone";

/// All groups of table 2.
std::span<const MethodGroup> method_groups();
/// Those that have one of these estimators; all for an empty list. Throws Error(kUsage) for an
/// estimator that is not in the table.
std::vector<MethodGroup> choose_groups(std::span<const std::string> estimators);
/// The methods of cone's group in figure 2.
const MethodGroup& figure_methods();

/// The candidates of dm_nn and dr_nn.
std::vector<ConeOptions> network_candidates();
/// The candidate with the least error on the selection nodes of the plan.
ConeOptions choose_networks(const Context& context, const Dataset& data, const PlanOptions& plan);

/// The unit that evaluates a group on one split of one simulation by the paper's protocol, with the
/// policy random-weights:SIMULATION. Its result: {"truth": ..., "values": {label: value or
/// null}}; for cone's group also "training", the losses on the validation nodes. Networks on
/// features select their options among network_candidates() on the validation nodes; `networks` are
/// those of cone. The setting's network must outlive it.
Unit study_unit(const StudySetting& setting, std::uint64_t simulation, std::uint64_t run,
                const MethodGroup& group, const ConeOptions& networks);

/// The unit of a group that is fitted to all nodes: runs 0 to `runs` − 1 of one simulation, whose
/// splits are those of study_unit. Its result: {"runs": [results as above]}.
Unit simulation_unit(const StudySetting& setting, std::uint64_t simulation, int runs,
                     const MethodGroup& group);

/// A simulation for tuning, which is in no table.
inline constexpr std::uint64_t kTuningSimulation = 1'000'000;

/// The options of networks for a setting: by tune() on kTuningSimulation, or the defaults. Appends
/// failed points to `failures`.
ConeOptions tune_setting(const Context& context, const StudySetting& setting,
                         const StudyOptions& options, const UnitWork& work,
                         std::vector<std::string>& failures);

}  // namespace cone
