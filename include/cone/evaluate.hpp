#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/catalogue.hpp"
#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/forecast.hpp"
#include "cone/learn.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"
#include "cone/settings.hpp"

/// \file
/// One evaluation end to end, optionally with a model that was fitted before.

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
/// decision's estimator (without a decision, of the one that would have decided). `networks`: where
/// given, set to cone's networks as soon as they are trained; not where `model` holds them. None of
/// the three may be combined with options.repeats above 1: Error(kUsage).
EvaluationRecord evaluate(const Context& context, const LoadedData& data,
                          std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                          const FittedModel* model = nullptr, NodeTable* nodes = nullptr,
                          ConeFit* networks = nullptr);

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

}  // namespace cone
