#include "distributed/rank_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "data/arm_costs.hpp"
#include "distributed/collective_error.hpp"
#include "distributed/local_dataset.hpp"
#include "distributed/rank_groups.hpp"
#include "distributed/rank_neighbourhood.hpp"
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "inference/network_treatment.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone::distributed {
namespace {

DependenceKernels make_kernels(const Context& context, const Communicator& comm,
                               const LocalData& local) {
  // Non-owning: the ranks outlive the run.
  const std::shared_ptr<const Communicator> shared(&comm, [](const Communicator*) {});
  return {context, std::make_shared<RankNeighbourhood>(comm, local), distribute_groups(comm, local),
          shared};
}

/// Data faults follow from sums over all ranks, so all ranks throw them: makes them collective.
template <class Work>
auto rethrow_collectively(const Work& work) {
  try {
    return work();
  } catch (const CollectiveError&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kData) throw;
    throw CollectiveError(error.code(), error.faults(), error.num_unlisted());
  }
}

}  // namespace

RankRun::RankRun(const Context& context, const Communicator& comm, const EvaluateOptions& options,
                 std::vector<EstimatorInfo> rows, LocalData& local)
    : context_(context),
      shared_(context.shared_by(comm)),
      comm_(comm),
      options_(options),
      rows_(std::move(rows)),
      local_(local),
      data_(make_local_dataset(comm, local)),
      sample_(make_local_sample(comm, local)),
      kernels_(make_kernels(context, comm, local)) {
  policies_.sample = local.policies;
  for (const Matrix<double>& policy : policies_.sample) policies_.tables.push_back(policy.view());
  const bool has_mu = local.global.has_mu;
  if (local.global.has_propensity || has_mu) {
    warnings_.push_back(
        describe_idle_columns(local.global.arms, local.global.has_propensity, has_mu));
  }
}

bool RankRun::uses(LearnerId learner) const {
  return std::ranges::any_of(rows_, [&](const EstimatorInfo& row) { return row.needs(learner); });
}

void RankRun::make_plan() {
  assign_folds(comm_, options_.plan.folds, context_.seed(), local_);
  plan_ = make_local_plan(comm_, options_.plan, context_.seed(), local_);
}

void RankRun::learn(const std::function<void(const char*)>& finished) {
  const bool fits_models = std::ranges::any_of(
      rows_, [](const EstimatorInfo& row) { return row.method != Method::kArmMeans; });
  if (fits_models) make_plan();
  // First, as estimators without their own propensities show overlap by these.
  if (uses(LearnerId::kLogistic)) {
    learn_one(LearnerId::kLogistic);
  } else {
    learn_overlap();
    if (!fits_models) plan_.tasks.clear();  // nothing was fitted on these folds
  }
  for (const LearnerId learner : {LearnerId::kOls1, LearnerId::kOls2, LearnerId::kRidge}) {
    if (uses(learner)) learn_one(learner);
  }
  finished("regressions");
  if (!uses(LearnerId::kNetworkRidge)) return;
  learn_one(LearnerId::kNetworkRidge);
  finished("network ridge");
}

void RankRun::learn_one(LearnerId learner) {
  keep(learner, rethrow_collectively([&] {
         return make_learner(learner, rows_, options_, nullptr)->fit(shared_, data_, plan_);
       }));
}

void RankRun::learn_overlap() {
  try {
    if (plan_.tasks.empty()) make_plan();
    learn_one(LearnerId::kLogistic);
  } catch (const CollectiveError& error) {
    // Only diagnostics need these: too little data for a fit must not stop the estimators.
    if (error.code() != ErrorCode::kData) throw;
    warnings_.push_back("no propensity model could be fitted to assess overlap: " +
                        error.faults().front().what);
  }
}

void RankRun::keep(LearnerId learner, Nuisances nuisances) {
  const bool has_outcome = nuisances.outcome.has_value();
  learnt_.add(learner, std::move(nuisances));
  if (!has_outcome) return;
  const OutcomeTable& outcome = *learnt_.parts().at(learner).outcome;
  noise_.emplace(learner, describe_noise(shared_, local_.relative_degree, sample_,
                                         outcome.mu.view(), &kernels_));
  imply_weights(basis(), learner, policies_);
}

EstimationBasis RankRun::basis() const {
  return {.context = shared_,
          .options = options_.estimator,
          .rows = rows_,
          .sample = sample_,
          .learnt = learnt_,
          .noise = noise_,
          .kernels = &kernels_};
}

void RankRun::estimate(std::vector<PolicyResult>& results) {
  for (const EstimatorInfo& row : rows_) imply_corrected_weights(basis(), row, policies_);
  for (std::size_t p = 0; p < results.size(); ++p) {
    for (const EstimatorInfo& row : rows_) {
      results[p].estimates.push_back(estimate_row(basis(), row, policies_, p));
    }
  }
}

void RankRun::add_sensitivity_intervals(std::vector<PolicyResult>& results) {
  if (!wants_sensitivity_intervals(options_, basis())) return;
  const StageScope stage(context_, "unmeasured confounding", 0, 1);
  strength_ = measure_network_treatment(
      shared_, sample_, local_.relative_degree,
      choose_propensity_bounds(data_, options_.nuisance.propensity_bound, comm_),
      [&](bool sees_network) {
        return predict_treatment(shared_, data_, plan_, options_.network_ridge, sees_network);
      });
  cone::add_sensitivity_intervals(basis(), policies_.sample, *strength_, results);
}

std::optional<Decision> RankRun::compare(std::span<const PolicyResult> results) const {
  const EstimatorInfo* headline = choose_headline(rows_);
  if (headline == nullptr) return std::nullopt;
  const CostTable no_costs;
  return decide(shared_,
                {.sample = sample_,
                 .kernels = kernels_,
                 .noise = noise_of(basis(), *headline),
                 .sample_policies = policies_.sample,
                 .costs = no_costs,
                 .strength = strength_ ? &*strength_ : nullptr,
                 .is_randomised = options_.randomised && headline->method != Method::kArmMeans &&
                                  !contradicts_declaration(options_, strength_, false),
                 .is_sensitivity_off = !options_.sensitivity_interval,
                 .lower_is_better = options_.direction.prefers_lower(),
                 .arm_noise = options_.estimator.arm_noise,
                 .plan = plan_,
                 .cluster = {}},
                headline->name, results, options_.estimator.dependence, options_.list_pairs_up_to);
}

std::optional<AssociationDiagnostics> RankRun::associate_residuals(
    std::string_view estimator) const {
  return cone::associate_residuals(basis(),
                                   *std::ranges::find(rows_, estimator, &EstimatorInfo::name));
}

JudgedRun RankRun::judged() const {
  return {.sample = sample_,
          .features = data_.features,
          .network = kernels_.network(),
          .finished = rows_,
          .learnt = learnt_,
          .plan = plan_,
          .policies = policies_.sample,
          .cluster = {}};
}

}  // namespace cone::distributed
