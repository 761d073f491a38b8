#include "evaluate/learning.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "evaluate/fitted_model.hpp"
#include "evaluate/workload.hpp"
#include "inference/network_treatment.hpp"

namespace cone {
namespace {

/// Beyond this many entries (cone_epoch_entries) five folds of networks take more than minutes:
/// they run on request only.
constexpr std::uint64_t kLargestDefaultCone = 5'000'000;

bool uses(std::span<const EstimatorInfo> rows, LearnerId learner) {
  return std::any_of(rows.begin(), rows.end(),
                     [learner](const EstimatorInfo& row) { return row.needs(learner); });
}

bool needs_one_process(const Catalogue& catalogue, const EstimatorInfo& row) {
  return std::ranges::any_of(std::array{row.outcome, row.weights}, [&](LearnerId learner) {
    const LearnerEntry* entry = catalogue.find_learner(learner);
    return entry != nullptr && entry->needs_one_process;
  });
}

/// With a given outcome model network_dm, dm_ridge and dm are one estimator, which is listed once,
/// as dm. Likewise dr_ridge and the others are dr.
void name_given_rows(std::vector<EstimatorInfo>& rows) {
  std::vector<EstimatorInfo> named;
  for (EstimatorInfo& row : rows) {
    const bool fits_weights = row.weights == LearnerId::kGiven || row.weights == LearnerId::kNone ||
                              row.weights == LearnerId::kLogistic;
    if (row.outcome == LearnerId::kGiven && fits_weights) {
      if (row.method == Method::kJointModel) row.method = Method::kDirect;
      if (row.method == Method::kDirect) row.name = find_estimator("dm")->name;
      if (row.method == Method::kDoublyRobust) row.name = find_estimator("dr")->name;
    }
    const bool is_there = std::any_of(named.begin(), named.end(), [&](const EstimatorInfo& other) {
      return other.name == row.name;
    });
    if (!is_there) named.push_back(row);
  }
  rows = std::move(named);
}

}  // namespace

bool fits_joint_model(const EvaluateOptions& options) {
  return options.joint_model && !options.randomised && options.plan.protocol == Protocol::kCrossFit;
}

const char* why_without_networks(const Dataset& data) {
  if (data.distributed) return "they need one process";
  if (data.num_edges() == 0) return "the data has no edges";
  if (cone_epoch_entries(data) > kLargestDefaultCone) {
    return "training on data of this size takes long";
  }
  return nullptr;
}

bool runs_by_default(const Dataset& data, const EstimatorInfo& row) {
  if (data.distributed) return !needs_one_process({}, row);
  return !row.needs(LearnerId::kCone) || why_without_networks(data) == nullptr;
}

void refuse_on_ranks(const Catalogue& catalogue, std::span<const EstimatorInfo> rows) {
  FaultList faults;
  for (const EstimatorInfo& row : rows) {
    if (!needs_one_process(catalogue, row)) continue;
    faults.add("estimators",
               {{.item = "--estimators"},
                fmt::format("--engine petsc does not support {}", row.name),
                "leave it out, or evaluate without --engine: neural networks and kernel "
                "balancing need one process"});
  }
  faults.throw_if_any(ErrorCode::kUsage);
}

std::vector<EstimatorInfo> choose_rows(const Dataset& data, const EvaluateOptions& options) {
  const bool given = options.nuisances == NuisanceSource::kGiven;
  const bool own_model = given && data.mu.has_value();
  const bool own_propensity = given && data.propensity.has_value();
  std::vector<EstimatorInfo> rows;
  for (const std::string& name : options.estimators) {
    rows.push_back(*options.catalogue.find_estimator(name));
  }
  if (rows.empty()) {
    for (const std::string_view name : default_estimators(own_model)) {
      const EstimatorInfo& row = *find_estimator(name);
      if (runs_by_default(data, row)) rows.push_back(row);
    }
  }
  // network_joint is read beside network_dm, whose value and interval are the headline.
  const auto joint = std::ranges::find(rows, Method::kJointModel, &EstimatorInfo::method);
  const std::string_view direct = "network_dm";
  if (joint != rows.end() && std::ranges::find(rows, direct, &EstimatorInfo::name) == rows.end()) {
    rows.insert(joint, *find_estimator(direct));
  }
  for (EstimatorInfo& row : rows) {
    if (own_model && row.needs_outcome_model()) row.outcome = LearnerId::kGiven;
    if (own_propensity && row.needs_propensity()) row.weights = LearnerId::kGiven;
    // Without a network a logistic regression has the same inputs and fits probabilities better.
    if (row.weights == LearnerId::kNetworkTreatment && data.num_edges() == 0) {
      row.weights = LearnerId::kLogistic;
    }
  }
  if (own_model) name_given_rows(rows);
  return rows;
}

void require_given_columns(const Dataset& data, std::span<const EstimatorInfo> rows) {
  FaultList faults;
  if (!data.propensity && !data.mu) {
    faults.add("given",
               {{.item = "--nuisances given"},
                fmt::format("the data has none of the columns {}, {}",
                            propensity_columns(data.arms), outcome_model_columns(data.arms)),
                "add them to nodes.csv, or leave the flag out to fit them"});
  }
  for (const EstimatorInfo& row : rows) {
    if (row.outcome == LearnerId::kGiven && !data.mu) {
      faults.add("given", {{.item = std::string(row.name)},
                           "needs the columns " + outcome_model_columns(data.arms),
                           "add them to nodes.csv, or choose a fitted estimator such as " +
                               std::string(row.name) + "_ridge"});
    }
  }
  faults.throw_if_any(ErrorCode::kData);
}

std::vector<LearningStep> plan_learning(const Context& context, const Dataset& data,
                                        std::span<const EstimatorInfo> rows,
                                        const EvaluateOptions& options, const FittedModel* model,
                                        std::size_t num_policies) {
  const FitSize size = measure_size(context, data, options.plan);
  std::vector<LearningStep> steps;
  for (const LearnerEntry* entry : options.catalogue.learners()) {
    const LearnerId learner(entry->name);
    const bool has_own_place = learner == LearnerId::kGiven || learner == LearnerId::kLogistic;
    if (has_own_place || !uses(rows, learner)) continue;
    const LearnerRequest request{.options = options,
                                 .parts = parts_used(rows, learner),
                                 .num_policies = num_policies,
                                 .model = model};
    steps.push_back({.learner = learner,
                     .name = entry->name,
                     .expected_seconds = entry->expect_seconds
                                             ? entry->expect_seconds(size, request)
                                             : regression_seconds(size, /*chooses_penalty=*/true)});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const LearningStep& a, const LearningStep& b) {
    return a.expected_seconds < b.expected_seconds;
  });
  // First, as estimators without their own propensities report overlap by these.
  const bool has_given = options.nuisances == NuisanceSource::kGiven && data.propensity.has_value();
  const bool needed = uses(rows, LearnerId::kLogistic);
  const bool shows_overlap = std::any_of(rows.begin(), rows.end(), [](const EstimatorInfo& row) {
    return !row.needs_propensity() && !row.needs(LearnerId::kCone);
  });
  if (!has_given && (needed || shows_overlap)) {
    steps.insert(steps.begin(), {.learner = LearnerId::kLogistic,
                                 .name = "propensity",
                                 .expected_seconds = logistic_seconds(size),
                                 .only_shows_overlap = !needed});
  }
  return steps;
}

std::vector<ExpectedCost> list_stages(const Context& context, const Dataset& data,
                                      std::span<const LearningStep> steps,
                                      const EvaluateOptions& options) {
  std::vector<ExpectedCost> costs;
  for (const LearningStep& step : steps) costs.push_back({step.name, step.expected_seconds});
  const auto has = [&](LearnerId learner) {
    return std::ranges::find(steps, learner, &LearningStep::learner) != steps.end();
  };
  const bool scores_all = options.plan.protocol == Protocol::kCrossFit;
  if (options.sensitivity_interval && has(LearnerId::kNetworkRidge) && scores_all &&
      data.num_edges() > 0) {
    const bool knows_network = has(LearnerId::kNetworkTreatment) && shares_treatment_folds(data);
    costs.push_back({"unmeasured confounding",
                     network_treatment_seconds(measure_size(context, data, options.plan),
                                               options.network_ridge, knows_network)});
  }
  return costs;
}

bool LearntNuisances::is_ready_for(const EstimatorInfo& row) const {
  const auto has = [&](LearnerId learner) {
    return learner == LearnerId::kNone || parts_.contains(learner);
  };
  return has(row.outcome) && has(row.weights);
}

const OutcomeTable* LearntNuisances::outcome_of(const EstimatorInfo& row) const {
  if (!row.needs_outcome_model()) return nullptr;
  const auto found = parts_.find(row.outcome);
  require(found != parts_.end() && found->second.outcome, "evaluate: no such outcome model");
  return &*found->second.outcome;
}

const PropensityTable* LearntNuisances::propensity_of(const EstimatorInfo& row) const {
  const LearnerId own = row.needs(LearnerId::kCone) ? LearnerId::kCone : LearnerId::kLogistic;
  const std::vector<LearnerId> candidates =
      row.needs_propensity()
          ? std::vector{row.weights}
          : std::vector{LearnerId::kGiven, own, LearnerId::kLogistic, LearnerId::kCone};
  for (const LearnerId learner : candidates) {
    const auto found = parts_.find(learner);
    if (found != parts_.end() && found->second.propensity) return &*found->second.propensity;
  }
  require(!row.needs_propensity(), "evaluate: no such propensities");
  return nullptr;
}

const Balancer& LearntNuisances::balancer_of(const EstimatorInfo& row) const {
  const auto found = parts_.find(row.weights);
  require(found != parts_.end() && found->second.balancer, "evaluate: no such balance");
  return *found->second.balancer;
}

std::span<const FoldTraining> LearntNuisances::trainings() const {
  const auto found = parts_.find(LearnerId::kCone);
  return found == parts_.end() ? std::span<const FoldTraining>() : found->second.trainings;
}

}  // namespace cone
