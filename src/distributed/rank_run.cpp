#include "distributed/rank_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "data/arm_costs.hpp"
#include "distributed/own_data.hpp"
#include "distributed/rank_groups.hpp"
#include "distributed/rank_neighbourhood.hpp"
#include "distributed/rank_network_ridge.hpp"
#include "distributed/rank_treatment.hpp"
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/sensitivity_intervals.hpp"

namespace cone::distributed {
namespace {

DependenceKernels make_kernels(const Context& context, const Ranks& ranks, const Share& share) {
  // Ranks outlive the run; kernels want to own what they add up by.
  const std::shared_ptr<const Totals> totals(&ranks, [](const Totals*) {});
  return {context, std::make_shared<RankNeighbourhood>(ranks, share), spread_groups(ranks, share),
          totals};
}

/// What the data does not allow follows from sums over all ranks: all of them throw it.
template <class Work>
auto share_faults(const Work& work) {
  try {
    return work();
  } catch (const SharedError&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kData) throw;
    throw SharedError(error.code(), error.faults(), error.num_unlisted());
  }
}

}  // namespace

RankRun::RankRun(const Context& context, const Ranks& ranks, const EvaluateOptions& options,
                 std::vector<EstimatorInfo> rows, Share& share)
    : context_(context),
      shared_(context.shared_by(ranks)),
      ranks_(ranks),
      options_(options),
      rows_(std::move(rows)),
      share_(share),
      data_(describe_own_nodes(ranks, share)),
      sample_(sample_own_nodes(ranks, share)),
      kernels_(make_kernels(context, ranks, share)) {
  policies_.sample = share.policies;
  for (const Matrix<double>& policy : policies_.sample) policies_.tables.push_back(policy.view());
  const bool has_mu = share.whole.has_mu;
  if (share.whole.has_propensity || has_mu) {
    warnings_.push_back(
        describe_idle_columns(share.whole.arms, share.whole.has_propensity, has_mu));
  }
}

bool RankRun::uses(LearnerId learner) const {
  return std::ranges::any_of(rows_, [&](const EstimatorInfo& row) { return row.needs(learner); });
}

void RankRun::make_plan() {
  assign_folds(ranks_, options_.plan.folds, context_.seed(), share_);
  plan_ = plan_own_nodes(ranks_, options_.plan, context_.seed(), share_);
}

void RankRun::learn(const std::function<void(const char*)>& finished) {
  const bool fits_models = std::ranges::any_of(
      rows_, [](const EstimatorInfo& row) { return row.method != Method::kArmMeans; });
  if (fits_models) make_plan();
  // First of all, as rows without propensities of their own show the overlap by these.
  if (uses(LearnerId::kLogistic)) {
    learn_one(LearnerId::kLogistic);
  } else {
    learn_overlap();
    if (!fits_models) plan_.tasks.clear();  // folds of no value
  }
  for (const LearnerId learner : {LearnerId::kOls1, LearnerId::kOls2, LearnerId::kRidge}) {
    if (uses(learner)) learn_one(learner);
  }
  finished("regressions");
  if (!uses(LearnerId::kNetworkRidge)) return;
  ridge_ = std::make_shared<RankNetworkRidge>(
      context_, ranks_,
      RankRidgeOptions{.ridge = options_.network_ridge, .folds = options_.plan.folds}, share_,
      finished);
  keep(LearnerId::kNetworkRidge, RankNetworkRidge::describe(ridge_, data_, plan_));
  finished("weights");
}

void RankRun::learn_one(LearnerId learner) {
  keep(learner, share_faults([&] {
         return make_learner(learner, rows_, options_, nullptr)->fit(shared_, data_, plan_);
       }));
}

void RankRun::learn_overlap() {
  try {
    if (plan_.tasks.empty()) make_plan();
    learn_one(LearnerId::kLogistic);
  } catch (const SharedError& error) {
    // Only the diagnostics want these: too little data for a fit must not stop what can be
    // estimated.
    if (error.code() != ErrorCode::kData) throw;
    warnings_.push_back(
        "no propensities could be fitted to see whether the log supports the policies: " +
        error.faults().front().what);
  }
}

void RankRun::keep(LearnerId learner, Nuisances nuisances) {
  const bool has_outcome = nuisances.outcome.has_value();
  learnt_.add(learner, std::move(nuisances));
  if (!has_outcome) return;
  const OutcomeTable& outcome = *learnt_.parts().at(learner).outcome;
  noise_.emplace(learner, describe_noise(shared_, share_.relative_degree, sample_,
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
  const StageScope stage(context_, "hidden confounding", 0, 1);
  ridge_->forget_equations();  // those of the treatment are as large
  strength_ = measure_treatment_together(
      context_, ranks_, options_, sample_,
      choose_propensity_bounds(data_, options_.nuisance.propensity_bound, ranks_), share_);
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
                 .costs = no_costs},
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
