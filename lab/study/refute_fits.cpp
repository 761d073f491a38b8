#include "study/refute_fits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"
#include "data/gather_rows.hpp"
#include "estimate/error_parts.hpp"
#include "inference/clusters.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// A fit to the nodes that this process has.
struct RidgeOfPart {
  FitPlan plan;
  LoggedSample sample;
  Nuisances fitted;
};

RidgeOfPart fit_ridge(const Context& context, const Dataset& data, const RefuteOptions& options,
                      const VarianceSource& variances) {
  RidgeOfPart out;
  out.plan =
      make_plan(context, data, {.folds = options.folds, .selection_folds = options.selection_folds},
                context.seed());
  out.sample = take_sample(data, out.plan.scored);
  out.fitted = NetworkRidgeLearner(options.network_ridge, variances).fit(context, data, out.plan);
  return out;
}

Json find_differences(const Context& context, const Dataset& data, RefuteFits::Policies policies,
                      const RidgeOfPart& ridge, bool with_errors) {
  const LoggedSample& sample = ridge.sample;
  const Communicator& comm = *sample.comm;
  const OutcomeTable& outcome = *ridge.fitted.outcome;
  std::vector<Matrix<double>> tables;  // weighted, so that plain means are weighted means
  std::vector<MatrixView<const double>> weighed;
  for (const MatrixView<const double>& policy : policies) {
    weigh_rows(sample, tables.emplace_back(take_rows(policy, sample.nodes)));
  }
  weighed.reserve(tables.size());
  for (const Matrix<double>& table : tables) weighed.push_back(table.view());
  const double observed = mean_over_units(sample, data.outcome);
  Json out = {{"differences", Json::array()}};
  for (const MatrixView<const double>& policy : weighed) {
    out["differences"].push_back(mean(expected_outcome(policy, outcome.mu.view()), comm) -
                                 observed);
  }
  if (!with_errors) return out;
  const std::vector<ImpliedWeights> implied = outcome.variance->imply_weights(context, weighed);
  const Matrix<double> noise =
      estimate_noise(relative_degrees(data, sample), sample, outcome.mu.view());
  for (std::size_t k = 0; k < weighed.size(); ++k) {
    std::vector<double> spread = expected_outcome(weighed[k], outcome.mu.view());
    const double difference = out["differences"][k];
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double units = sample.weight_of(i);
      spread[i] -= units * data.outcome[i] + (units - 1) * difference;
    }
    const double of_units = standard_error(spread, comm);
    // As in cone evaluate, for independent units.
    const ErrorParts parts = decompose_error(*find_estimator("network_dm"),
                                             {.sample = sample,
                                              .policy = weighed[k],
                                              .outcome = &outcome,
                                              .implied = &implied[k],
                                              .noise = &noise,
                                              .policy_index = k},
                                             {}, {}, std::vector<double>(sample.size()));
    out["standard_errors"].push_back(error_for_sample(parts, comm));
    out["population_standard_errors"].push_back(
        std::sqrt(of_units * of_units + implied[k].variance));
  }
  return out;
}

/// Residuals are scaled by the model's noise fraction, as in its standard error: the rest is
/// unexplained signal, which refits miss again.
BootstrapWorld make_world(const Context& context, const Dataset& data, Matrix<double> mu,
                          std::span<const double> noise_share, BootstrapUnits units) {
  BootstrapWorld world;
  world.mu = std::move(mu);
  world.residual = residuals(data.treatment, data.outcome, world.mu.view());
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const LoggedSample sample = take_sample(data, nodes);
  world.noise = estimate_noise(relative_degrees(data, sample), sample, world.mu.view());
  for (std::size_t i = 0; i < data.num_nodes() && !noise_share.empty(); ++i) {
    world.residual[i] *= std::sqrt(noise_share[data.treatment[i]]);
    for (std::size_t a = 0; a < data.num_arms(); ++a) world.noise(i, a) *= noise_share[a];
  }
  if (units == BootstrapUnits::kClusters) world.clusters = cluster_nodes(context, data);
  return world;
}

}  // namespace

RefuteFits::~RefuteFits() {
  // Within a fit the other ranks do not listen; then something worse than an Error was thrown.
  if (!comm_.has_others() || !comm_.is_root() || is_fitting_) return;
  std::array<std::uint64_t, 2> end = {static_cast<std::uint64_t>(Job::kEnd), 0};
  comm_.broadcast(0, end);
}

Json RefuteFits::measure_differences(const Context& context, const Dataset& data, Policies policies,
                                     bool with_errors) {
  return run(with_errors ? Job::kErrors : Job::kDifferences, context, data, policies).differences;
}

BootstrapWorld RefuteFits::learn_variances(const Context& context, const Dataset& data,
                                           Policies policies, bool wants_world) {
  return run(wants_world ? Job::kWorld : Job::kVariances, context, data, policies).world;
}

Matrix<double> RefuteFits::learn_propensities(const Context& context, const Dataset& data) {
  return run(Job::kPropensities, context, data, {}).propensity;
}

RefuteFits::Found RefuteFits::run(Job job, const Context& context, const Dataset& data,
                                  Policies policies) {
  std::array<std::uint64_t, 2> words = {static_cast<std::uint64_t>(job), context.seed()};
  comm_.broadcast(0, words);
  // In one process, reruns run side by side and nobody listens.
  if (!comm_.has_others()) return fit(job, context, data, policies);
  is_fitting_ = true;
  try {
    Found out = fit(job, context, data, policies);
    is_fitting_ = false;
    return out;
  } catch (const Error&) {  // all ranks throw it
    is_fitting_ = false;
    throw;
  }
}

void RefuteFits::serve(const Context& context) {
  while (true) {
    std::array<std::uint64_t, 2> words{};
    comm_.broadcast(0, words);
    const auto job = static_cast<Job>(words[0]);
    if (job == Job::kEnd) return;
    try {
      fit(job, context.with_seed(words[1]).on_one_thread(), {}, {});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kData) throw;  // the root records a fit that fails
    }
  }
}

RefuteFits::Found RefuteFits::fit(Job job, const Context& context, const Dataset& data,
                                  Policies policies) {
  EvaluationInput distributed;
  std::vector<MatrixView<const double>> own_policies(policies.begin(), policies.end());
  if (comm_.has_others()) {
    EvaluationInput whole;
    if (comm_.is_root()) {
      whole.data.observed = data;
      for (const MatrixView<const double>& policy : policies) {
        Matrix<double> table(policy.rows(), policy.cols());
        for (std::size_t i = 0; i < table.rows(); ++i) {
          std::ranges::copy(policy.row(i), table.row(i).begin());
        }
        whole.policies.push_back({.name = "", .probability = std::move(table)});
      }
    }
    distributed = distribute_(comm_.is_root() ? &whole : nullptr);
    own_policies.clear();
    for (const PolicyOnData& policy : distributed.policies) {
      own_policies.push_back(policy.probability.view());
    }
  }
  const Dataset& own = comm_.has_others() ? distributed.data.observed : data;
  Found out;
  if (job == Job::kPropensities) {
    const FitPlan plan = make_plan(
        context, own, {.folds = options_.folds, .selection_folds = options_.selection_folds},
        context.seed());
    Nuisances fitted = LogisticLearner(options_.nuisance).fit(context, own, plan);
    out.propensity = gather_rows(own, plan.scored, std::move(fitted.propensity->e));
    return out;
  }
  RidgeOfPart ridge = fit_ridge(context, own, options_, answer_);
  if (job == Job::kDifferences || job == Job::kErrors) {
    out.differences = find_differences(context, own, own_policies, ridge, job == Job::kErrors);
    return out;
  }
  OutcomeTable& outcome = *ridge.fitted.outcome;
  answer_.kept = outcome.network_ridge;
  if (job == Job::kVariances) return out;
  const std::vector<double> noise_share =
      outcome.variance->imply_weights(context, std::span(own_policies).first(1))
          .front()
          .noise_share;
  Matrix<double> mu = gather_rows(own, ridge.plan.scored, std::move(outcome.mu));
  if (comm_.is_root()) {
    out.world = make_world(context.shared_by(Communicator::self()), data, std::move(mu),
                           noise_share, options_.bootstrap_by);
  }
  return out;
}

}  // namespace cone
