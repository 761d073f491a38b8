#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/estimate.hpp"
#include "cone/file.hpp"
#include "cone/learn.hpp"
#include "cone/learn_policy.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

/// \file
/// The catalogue of learners and estimators, fitted models, and one evaluation end to end.

// A program adds a learner of its own:
//
//   class NearestNeighbours : public cone::Learner { ... };
//
//   cone::EvaluateOptions options;
//   options.catalogue.add({.name = "knn",
//                          .version = "1: 10 neighbours",
//                          .provides = {.outcome = true},
//                          .make = [](const cone::LearnerRequest&) {
//                            return std::make_unique<NearestNeighbours>(10);
//                          }});
//   options.estimators = {"dr_ridge", "dm_knn", "dr_knn"};
//
// A catalogue is a value: two evaluations with different catalogues may run side by side, and the
// order of additions decides about nothing but the order of lists.

namespace cone {

struct EvaluateOptions;  // cone/evaluate.hpp
struct FittedModel;      // cone/model.hpp

/// Of a learner: what it can fit, or what an evaluation uses of that.
struct LearnerParts {
  bool outcome = false;     ///< Nuisances::outcome
  bool propensity = false;  ///< Nuisances::propensity
  bool balance = false;     ///< Nuisances::balancer
};

/// What a learner is made for.
struct LearnerRequest {
  const EvaluateOptions& options;
  LearnerParts parts;  ///< that the estimators use; the learner need not fit the others
  std::size_t num_policies = 1;
  const FittedModel* model = nullptr;  ///< that was fitted before; nullptr without
  FittedModel* trained = nullptr;      ///< receives cone's networks; nullptr where not requested
};

/// A learner of a catalogue.
struct LearnerEntry {
  /// Of lower-case letters, digits and underscores.
  std::string name;
  /// Of the code and its settings: part of the record and its run_id, so that results of two
  /// versions are never taken for one. Empty for built-in learners, which the library's version
  /// covers; required for others.
  std::string version;
  LearnerParts provides;
  /// Called once per fit, on the thread that evaluates.
  std::function<std::unique_ptr<Learner>(const LearnerRequest&)> make;
  /// Expected time, which orders the fits and sizes their shares of the progress bar, never
  /// results. Empty: counted as a ridge regression.
  std::function<double(const FitSize&, const LearnerRequest&)> expect_seconds = {};
  /// False for learners that fit data distributed over ranks (Dataset::distributed) by collective
  /// operations. Others are refused there.
  bool needs_one_process = true;
};

/// The built-in learners.
std::span<const LearnerEntry> builtin_learners();

/// The built-in learners and estimators, and those that were added. Copies share what was added.
class Catalogue {
 public:
  /// Adds a learner and estimators with it, which `EvaluateOptions::estimators` names:
  ///
  /// - of an outcome model dm_NAME (direct method) and dr_NAME (doubly robust, with its own
  ///   propensities or, without, those of the softmax regression on features);
  /// - of propensities ips_NAME, snips_NAME and, without an outcome model, dr_NAME with ridge
  ///   regression;
  /// - of balancing weights okb_NAME.
  ///
  /// Propensities that it returns without `unbounded` are bounded as those of built-in learners
  /// are. A direct method has an interval where OutcomeTable::variance is set, a doubly robust one
  /// always.
  ///
  /// Throws Error(kUsage) where a name exists already or the entry is incomplete. evaluate() throws
  /// Error(kUsage) that names the learner, and the fold where there is one, for tables of the wrong
  /// shape and for numbers that are not finite or no probabilities.
  void add(LearnerEntry learner);

  /// Adds an estimator that combines learners, added or built-in: for example "dr_knn_stumps",
  /// Method::kDoublyRobust, the outcome model of "knn" and the propensities of "stumps". Methods:
  /// those of the estimators above, and of ips_clipped, switch_dr, dr_shrinkage and network_dr.
  /// Throws Error(kUsage) where the name exists already, or a learner does not provide its part.
  void add_estimator(std::string name, Method method, LearnerId outcome, LearnerId weights,
                     std::string summary);

  /// In the order of tables: built-in ones first. Views into the catalogue.
  std::vector<EstimatorInfo> estimators() const;
  /// nullptr for an unknown name.
  const EstimatorInfo* find_estimator(std::string_view name) const;

  std::vector<const LearnerEntry*> learners() const;
  /// nullptr for LearnerId::kNone, and for an unknown one.
  const LearnerEntry* find_learner(LearnerId learner) const;
  /// Those that were added.
  std::span<const std::shared_ptr<const LearnerEntry>> added() const { return learners_; }
  bool is_added(LearnerId learner) const;

 private:
  struct AddedEstimator {
    std::string name;
    std::string summary;
    EstimatorInfo info;  ///< its views are of these names and of learners_
  };

  std::vector<std::shared_ptr<const LearnerEntry>> learners_;
  std::vector<std::shared_ptr<const AddedEstimator>> estimators_;
};

/// What `cone estimators` prints: a line per estimator, with its learners.
std::string estimators_text(const Catalogue& catalogue = {});

/// Opaque: a program handles it by pointer, and asks the functions below.
struct FittedModel;
using Model = std::shared_ptr<const FittedModel>;

struct ModelOptions {
  /// Of networks, network_ridge. Empty: both, except for large data, where training the networks
  /// takes long: the network ridge alone.
  std::vector<std::string> parts;
  PlanOptions plan;
  NetworkRidgeOptions network_ridge;
  ConeOptions cone;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("parts", self.parts,
            "What to fit, of networks and network_ridge; by default both, for large data only the "
            "network ridge");
    PlanOptions::visit(self.plan, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
    ConeOptions::visit(self.cone, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// What fit_model fits on this data.
std::vector<std::string> parts_to_fit(const Dataset& data, const ModelOptions& options);

/// Learns the variances of the network ridge, and one set of networks per fold of the plan. Minutes
/// on large networks; the context's observer may stop it (Cancelled). Throws Error on bad options,
/// and where the data does not allow a fit.
Model fit_model(const Context& context, const Dataset& data, const ModelOptions& options);

/// Expected time of that.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const ModelOptions& options);

/// Why cone's networks are not trained on this data by default, as a clause; nullptr where they
/// are.
const char* why_without_networks(const Dataset& data);

/// What a model is a fit of.
struct ModelFacts {
  PlanOptions plan;
  std::uint64_t seed = 0;
  bool has_networks = false;
  std::optional<NetworkRidgeOptions> network_ridge;  ///< none where it does not hold one
};
ModelFacts describe_model(const FittedModel& model);

/// The variance components of the network ridge and the losses of the networks, as tables.
std::string model_text(const FittedModel& model);

/// Reads what save_model wrote. Safe on untrusted files. Throws Error(kData) naming the file.
Model load_model(const std::filesystem::path& path);
/// The same from the bytes of such a file; `name` is its name in messages.
Model load_model(std::string_view bytes, const std::string& name);

/// Writes the model, atomically, in the format of docs/model_format.md.
void save_model(const std::filesystem::path& path, const FittedModel& model);
/// The same bytes.
void write_model(std::ostream& out, const FittedModel& model);

/// Outcomes and propensities predicted by the model's networks for the nodes that its plan scores.
/// Throws Error(kData) unless it has networks and was fitted to this data.
Nuisances predict_by_model(const Context& context, const Dataset& data, const FittedModel& model,
                           AutoNumber propensity_bound);

/// The representations of the nodes that the model's plan scores, in its order: [z^y ; z^t] by the
/// fold that scores the node. Throws as predict_by_model does.
Matrix<float> represent_by_model(const Context& context, const Dataset& data,
                                 const FittedModel& model);

/// Throws Error(kUsage) unless the encoder of these options has attention weights: to be called
/// before training.
void require_attention(const ConeOptions& options);

/// Writes the attention of the first layer as CSV: `source,target,treatment_head1, ...,
/// outcome_head1, ...`, one line per scored node (source) and node that it attends to (target: its
/// neighbours and, with self loops, itself), one column per head of each tower, by the encoder of
/// the fold that scores the source. The weights of a source sum to 1 in every column. Grouped by
/// fold, within it ordered by source and then target. O(folds · edges · heads) time; memory of one
/// fold's encoding. Throws Error(kUsage) where require_attention does, and as predict_by_model
/// does.
void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const FittedModel& model, CsvCells cells = CsvCells::kExact);

/// Writes [z^y ; z^t] as a NumPy array of single precision: one row per node in the order of the
/// data, zeros for nodes that no fold scores.
void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const FittedModel& model);

/// estimate_effects() with the variances of the model's network ridge, where there is one, and with
/// a warning where treatment depends on the network among theirs. Plan, seed and options (but for
/// undersmoothing, solver and draws) must be those of the model.
NodeEffects predict_effects(const Context& context, const Dataset& data,
                            const EffectOptions& options, const FittedModel* model = nullptr);
/// Expected time of that.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EffectOptions& options,
                                         const FittedModel* model = nullptr);

}  // namespace cone

// What every front end does around evaluate(): with a model that was fitted before, and with the
// record afterwards.

namespace cone {

enum class NuisanceSource {
  kFitted,  ///< fitted here; given columns are ignored
  kGiven,   ///< the columns propensity, mu0, mu1 of the data; missing ones are fitted
};

template <>
struct EnumNames<NuisanceSource> {
  static constexpr std::array<std::pair<NuisanceSource, std::string_view>, 2> kNames = {
      {{NuisanceSource::kFitted, "fitted"}, {NuisanceSource::kGiven, "given"}}};
};

/// Data, and policies for it.
struct EvaluationInput {
  LoadedData data;
  std::vector<PolicyOnData> policies;
};

/// Distributes the root's data over ranks: the root passes them, the others nullptr, and every rank
/// gets its part. Collective. Empty in one process.
using Distribute = std::function<EvaluationInput(const EvaluationInput* whole)>;

/// Budget curves: the gain of treating the units that a ranking puts first.
struct BudgetCurveOptions {
  std::vector<std::string> rank;  ///< columns or policies
  std::string rank_arm;
  int budget_steps = 20;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(
        "rank", self.rank,
        "Rank units by this numeric column, or by the treatment probability of this policy, and "
        "estimate the gain of treating the first of them at every budget. May be repeated");
    visitor("rank_arm", self.rank_arm, "Arm assigned to the ranked units, with more than two arms");
    visitor("budget_steps", self.budget_steps,
            "Number of steps from treating no unit to treating all", between(2, 100));
  }
};

struct EvaluateOptions {
  /// What `estimators` may name. Not an option of the command line: a program adds to it.
  Catalogue catalogue;
  std::vector<std::string> estimators;  ///< empty: the built-in defaults
  NuisanceSource nuisances = NuisanceSource::kFitted;
  bool sensitivity_interval = true;
  bool joint_model = true;
  bool randomised = false;
  DirectionOptions direction;
  std::vector<std::string> cost;  ///< LABEL=NUMBER or LABEL=COLUMN
  int repeats = 1;
  int list_pairs_up_to = 50;
  BudgetCurveOptions budget;
  PlanOptions plan;
  EstimatorOptions estimator;
  NuisanceOptions nuisance;
  KernelBalancingOptions kernel;
  ConeOptions cone;
  NetworkRidgeOptions network_ridge;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("estimators", self.estimators,
            "Estimators to run, separated by commas (cone estimators lists them)");
    visitor("nuisances", self.nuisances,
            "Nuisance functions: fit propensities and outcome models, or take given columns of the "
            "data");
    visitor("sensitivity_interval", self.sensitivity_interval,
            "Sensitivity intervals, which allow for an unmeasured confounder as strong as what the "
            "network reveals");
    visitor(
        "joint_model", self.joint_model,
        "The joint model of treatment and outcome: intervals of network_dm then allow for "
        "unmeasured confounding that selects units as the predictable part of the outcome does");
    visitor(
        "randomised", self.randomised,
        "Declare that treatment was assigned at random given the features: verdicts then do not "
        "need the sensitivity interval (implied where the estimator weights by given "
        "propensities)");
    DirectionOptions::visit(self.direction, visitor);
    visitor(
        "cost", self.cost,
        "LABEL=NUMBER or LABEL=COLUMN: cost of assigning that arm to one unit, in units of the "
        "outcome; a column has the cost of each node and is then not a feature. Gains and ranks "
        "are net of costs. May be repeated");
    visitor("repeats", self.repeats,
            "Repeat the cross-fitting with this many seeds, from --seed on, and report medians",
            between(1, 1000));
    visitor("list_pairs_up_to", self.list_pairs_up_to,
            "Record the differences of all pairs for up to this many policies (1,000 policies have "
            "500,000 pairs, 190 MB), and those from the logged policy for more. Ranks, bands and "
            "p values always use all pairs",
            between(0, static_cast<double>(kMostPolicies)));
    BudgetCurveOptions::visit(self.budget, visitor);
    PlanOptions::visit(self.plan, visitor);
    EstimatorOptions::visit(self.estimator, visitor);
    NuisanceOptions::visit(self.nuisance, visitor);
    KernelBalancingOptions::visit(self.kernel, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
    ConeOptions::visit(self.cone, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// The fits of an evaluation of this many policies, in order: from cheap to costly, and last those
/// of the sensitivity intervals. All repeats together.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EvaluateOptions& options,
                                         const FittedModel* model = nullptr,
                                         std::size_t num_policies = 1);

/// Whether an evaluation of the data with these options uses cone's networks.
bool uses_cone(const Dataset& data, const EvaluateOptions& options);

/// Evaluates every policy with every estimator, running each learner once, from cheap to costly; an
/// estimator is done as soon as its learners are. Where the observer asks to stop, the record
/// holds what was finished (status "interrupted"); Cancelled is thrown where nothing was. The
/// truth, where known, is reported beside the estimates and used by nothing else. Throws Error for
/// options or data that cannot be evaluated, listing every fault, and Error(kIo) that names the
/// largest tables where memory runs out.
///
/// `model`: what was fitted to this data before, instead of fitting anew; plan, seed and options
/// must be those of the model (adopt_model). What it does not hold is fitted.
///
/// `nodes`: where given, filled with the contributions of every node to the estimates of the
/// decision's estimator (without a decision, of the one that would have decided). `trained`: where
/// given, set to a model of cone's networks where they were trained; not where `model` holds them.
/// None of the three may be combined with options.repeats above 1: Error(kUsage).
EvaluationRecord evaluate(const Context& context, const LoadedData& data,
                          std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                          const FittedModel* model = nullptr, NodeTable* nodes = nullptr,
                          Model* trained = nullptr);

/// The columns that BudgetCurveOptions::rank may name, for LoadOptions::kept.
std::vector<KeptColumn> ranking_columns(std::span<const std::string> rank);

/// Names of the policies whose probability of treatment is not constant: those that rank units.
std::vector<std::string> name_ranking_policies(const Communicator& comm,
                                               std::span<const PolicyOnData> policies);

/// The contributions of the nodes of all ranks on the root, by the numbers of the nodes in the
/// data. Collective; in one process nothing changes.
NodeTable gather_nodes(const Dataset& data, NodeTable own);

/// The estimators that need only what the model holds (and propensities of a logistic regression).
std::vector<std::string> estimators_of_model(const FittedModel& model);

/// The seed and the options of an evaluation by a fitted model: plan, seed and the options of what
/// it holds are the model's, and where no estimators are named, they are estimators_of_model().
struct ModelRun {
  EvaluateOptions options;
  std::uint64_t seed = 0;
};
ModelRun adopt_model(const FittedModel& model, EvaluateOptions options);

/// Throws Error(kData) unless the model was fitted to this data. The names are for the message.
void require_model_of(const FittedModel& model, const std::string& model_name, const Dataset& data,
                      const std::string& data_name);

/// Throws Error(kUsage) where an estimator needs what the model does not hold, and where none needs
/// anything that it holds.
void require_model_for(const FittedModel& model, const std::string& model_name, const Dataset& data,
                       const EvaluateOptions& options);

/// Provenance of the data and the model of an evaluation.
struct Provenance {
  std::string data;  ///< as the user named it
  bool data_in_memory = false;
  LoadOptions table;
  /// As given: names and files; none for a policy in memory.
  std::vector<std::optional<std::string>> policy_arguments;
  const FittedModel* model = nullptr;  ///< from a file; nullptr where it was fitted for this run
  std::string model_file;              ///< that it was read from
  double load_seconds = 0;
  double total_seconds = 0;
};

/// Puts it into the record, with the choices that the loader made.
void add_provenance(const Provenance& provenance, const LoadedData& data, EvaluationRecord& record);

// Options that were set and have no effect in a run: refused by Error(kUsage) instead of ignored.

/// Options of the other protocol.
void refuse_idle_plan(const IsGiven& is_given, Protocol protocol);

/// Options of budget curves where there are none. `has_curves`: some are requested.
void refuse_idle_budget(const IsGiven& is_given, bool has_curves);

/// Options that a fitted model fixes: plan, networks, network ridge, seed and repeats.
void refuse_options_of_model(const IsGiven& is_given);

/// Options of models that a learnt policy does not use.
void refuse_idle_models(const IsGiven& is_given, const LearnPolicyOptions& options);

}  // namespace cone
