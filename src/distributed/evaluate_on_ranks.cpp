#include "distributed/evaluate_on_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "cone/version.hpp"

#include "base/numeric.hpp"
#include "base/stopwatch.hpp"
#include "data/arm_costs.hpp"
#include "distributed/groups_together.hpp"
#include "distributed/rank_model.hpp"
#include "distributed/rank_neighbourhood.hpp"
#include "distributed/rank_variances.hpp"
#include "distributed/read_share.hpp"
#include "estimate/error_parts.hpp"
#include "estimate/significance.hpp"
#include "evaluate/decide.hpp"
#include "inference/dependent_errors.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "options/option_json.hpp"

namespace cone::distributed {
namespace {

constexpr std::string_view kEstimator = "network_dm";

/// What one machine can do and several ranks cannot.
void refuse_options(const Ranks& ranks, const EvaluateOptions& options) {
  FaultList faults;
  const auto refuse = [&](const char* flag, bool is_asked, const char* advice) {
    if (is_asked) faults.add(flag, {{.item = flag}, "is not known to --engine petsc", advice});
  };
  const char* without = "leave it out, or evaluate without --engine";
  for (const std::string& name : options.estimators) {
    if (name == kEstimator) continue;
    faults.add("estimators", {{.item = "--estimators"},
                              fmt::format("--engine petsc does not know {}", name),
                              "it knows network_dm; evaluate without --engine for the others"});
  }
  refuse("--nuisances", options.nuisances == NuisanceSource::kGiven, without);
  refuse("--cost", !options.cost.empty(), without);
  refuse("--repeats", options.repeats > 1, without);
  refuse("--rank", !options.budget.rank.empty(), without);
  refuse("--protocol", options.plan.protocol == Protocol::kSplit, without);
  refuse("--ridge-variances", options.network_ridge.ridge_variances != VarianceFits::kOnce,
         without);
  refuse("--dependence", options.estimator.dependence == Dependence::kClusters, without);
  if (!ranks.is_first()) faults = {};
  ranks.throw_if_any(faults, ErrorCode::kUsage);
}

/// The evaluated nodes of this rank.
LoggedSample sample_of(const Share& share) {
  LoggedSample sample{.outcome = share.outcome, .arms = share.whole.arms};
  sample.nodes.resize(share.size());
  std::iota(sample.nodes.begin(), sample.nodes.end(), NodeIndex{0});
  for (std::size_t p = 0; p < share.size(); ++p) sample.arm.push_back(share.arm_of(p));
  return sample;
}

/// Everything that estimates of this rank's nodes rest on.
struct RankRun {
  const Context& context;
  const Ranks& ranks;
  const Share& share;
  const RankModel& model;
  LoggedSample sample;
  OutcomeTable outcome;
  ModelNoise noise;
  DependenceKernels kernels;

  double mean_over_all(std::span<const double> values) const {
    return ranks.add_up(sum(values)) / kernels.num_nodes();
  }
  double standard_error_over_all(std::span<const double> values) const {
    const double n = kernels.num_nodes();
    const double centre = mean_over_all(values);
    CompensatedSum squares;
    for (const double v : values) squares.add((v - centre) * (v - centre));
    return std::sqrt(ranks.add_up(squares.value()) / (n - 1) / n);
  }
};

ModelNoise describe_noise(const Context& context, const RankModel& model,
                          const LoggedSample& sample, const DependenceKernels& kernels) {
  ModelNoise out{.variance = model.noise()};
  std::vector<double> standardised;
  for (std::size_t p = 0; p < sample.size(); ++p) {
    out.residual.push_back(sample.outcome[p] - model.mu()(p, sample.arm[p]));
    out.sd.push_back(std::sqrt(out.variance(p, sample.arm[p])));
    standardised.push_back(out.sd[p] > 0 ? out.residual[p] / out.sd[p] : 0.0);
  }
  out.shared = kernels.measure_shared_noise(context, standardised);
  return out;
}

/// Sums over nodes that were divided by the square of this rank's count become those of the whole.
double add_up_variance(const RankRun& run, double of_rank) {
  const auto here = static_cast<double>(run.sample.size());
  const double n = run.kernels.num_nodes();
  return run.ranks.add_up(of_rank * here * here) / (n * n);
}

Estimate estimate_policy(const RankRun& run, std::size_t place, const ImpliedWeights& implied,
                         const EstimatorOptions& options) {
  const EstimatorInfo& row = *find_estimator(kEstimator);
  const Matrix<double>& policy = run.share.policies[place];
  const Evidence evidence{.sample = run.sample,
                          .policy = policy.view(),
                          .outcome = &run.outcome,
                          .implied = &implied,
                          .noise = &run.noise.variance,
                          .policy_place = place};
  const std::vector<double> expected = expected_outcome(policy.view(), run.outcome.mu.view());
  Estimate out{.estimator = std::string(kEstimator)};
  out.value = run.mean_over_all(expected);
  out.parts = take_error_apart(row, evidence, options, {}, {expected.begin(), expected.end()});
  out.parts.unlogged_variance = add_up_variance(run, out.parts.unlogged_variance);
  out.parts.whole_unlogged_variance = add_up_variance(run, out.parts.whole_unlogged_variance);
  // Parts for people like these lie around the mean of all.
  const double shift = mean(expected) - out.value;
  for (double& part : out.parts.population) part += expected.empty() ? 0.0 : shift;
  out.level = options.level;
  const double spread = run.standard_error_over_all(expected);
  out.population_standard_error = std::hypot(spread, std::sqrt(implied.variance));
  const double imbalance = out.parts.imbalance.empty() ? 0 : out.parts.imbalance[place];
  const double of_parts = run.standard_error_over_all(out.parts.these);
  const double of_these = std::sqrt(of_parts * of_parts + out.parts.unlogged_variance + imbalance);
  out.target = options.target;
  out.standard_error =
      options.target == Target::kThesePeople ? of_these : out.population_standard_error;
  const double factor = two_sided_normal_quantile(options.level);
  out.interval = {out.value - factor * out.standard_error, out.value + factor * out.standard_error};
  out.population_interval = {out.value - factor * out.population_standard_error,
                             out.value + factor * out.population_standard_error};
  std::array<double, 2> sums{};  // of the weights and of their squares
  double largest = 0;
  for (const double w : implied.weights) {
    sums[0] += w;
    sums[1] += w * w;
    largest = std::max(largest, std::abs(w));
  }
  run.ranks.add_up(sums);
  out.effective_sample_size = sums[1] > 0 ? sums[0] * sums[0] / sums[1] : 0;
  out.max_weight = run.ranks.find_largest(largest);
  // One machine leaves intervals out where the log lacks what a policy does; nobody looked here.
  out.status = EstimateStatus::kCaution;
  out.warnings.emplace_back(
      "--engine petsc does not check whether the log supports the policy: one machine may give no "
      "interval here");
  if (!implied.converged) {
    out.warnings.emplace_back("the weights that the regression implies did not converge");
  }
  apply_dependence(run.context, run.kernels, run.sample, policy, &run.noise, options.dependence,
                   out);
  return out;
}

PolicyResult describe_policy(const RankRun& run, std::size_t place) {
  const Matrix<double>& policy = run.share.policies[place];
  PolicyResult out{.name = run.share.whole.policy_names[place]};
  std::vector<double> shares(policy.cols(), 0.0);
  for (std::size_t p = 0; p < policy.rows(); ++p) {
    for (std::size_t a = 0; a < policy.cols(); ++a) shares[a] += policy(p, a);
  }
  run.ranks.add_up(shares);
  out.arm_fractions.assign(policy.cols(), 0.0);
  for (std::size_t a = 1; a < policy.cols(); ++a) {
    out.arm_fractions[a] = shares[a] / run.kernels.num_nodes();
    out.treated_fraction += out.arm_fractions[a];
  }
  out.arm_fractions[0] = 1 - out.treated_fraction;
  const bool knows_truth = run.share.truth.cols() > 0;
  std::vector<double> truth;
  for (std::size_t p = 0; knows_truth && p < policy.rows(); ++p) {
    truth.push_back(dot(policy.row(p), run.share.truth.row(p)));
  }
  if (run.ranks.any(knows_truth && policy.rows() > 0)) out.truth = run.mean_over_all(truth);
  return out;
}

DataSummary summarise(const WholeData& whole) {
  DataSummary out{.num_nodes = whole.num_nodes,
                  .num_edges = whole.edges.num_edges,
                  .num_features = whole.column_names.size() + whole.num_words,
                  .num_dense_features = whole.column_names.size()};
  for (std::size_t a = 0; a < whole.arms.size(); ++a) {
    out.arms.push_back({whole.arms[a], whole.arm_sizes[a]});
    if (a > 0) out.num_treated += whole.arm_sizes[a];
  }
  return out;
}

NetworkRidgeSummary describe_ridge(const RankSystem& system, const LearntTogether& together,
                                   const RankModel& model) {
  const bool is_exact = together.dense.has_all();
  NetworkRidgeSummary out{.solver = is_exact ? "dense" : "iterative",
                          .iterations = model.iterations(),
                          .converged = model.converged(),
                          .undersmoothing = system.undersmoothing};
  std::vector<GroupKind> kinds;
  for (const RidgeGroup& group : system.groups) kinds.push_back(group.kind);
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    out.arms.push_back(
        describe_variances(system.share.whole.arms[a], kinds, system.arms[a], together.learnt[a]));
  }
  return out;
}

nlohmann::ordered_json config_json(const Context& context, const EvaluateOptions& options,
                                   const WholeData& whole) {
  nlohmann::ordered_json config = option_json(options);
  config["estimators"] = {std::string(kEstimator)};
  config["policies"] = whole.policy_names;
  config["seed"] = context.seed();
  return config;
}

/// Outcomes that do not vary have no standard error, and policies that use the arm none either.
void refuse_constant_arms(const Ranks& ranks, const Share& share) {
  FaultList faults;
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    const std::span<const double> own =
        std::span(share.outcome)
            .subspan(share.arm_begin[a], share.arm_begin[a + 1] - share.arm_begin[a]);
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    double largest = kNone;
    double largest_of_negated = kNone;
    for (const double y : own) {
      largest = std::max(largest, y);
      largest_of_negated = std::max(largest_of_negated, -y);
    }
    largest = ranks.find_largest(largest);
    const double smallest = -ranks.find_largest(largest_of_negated);
    if (largest > smallest || !ranks.is_first()) continue;
    faults.add("constant arm",
               {{.item = fmt::format("arm {}", share.whole.arms[a])},
                "every outcome is the same, which --engine petsc has no standard error for",
                "evaluate without --engine, which says what can be said"});
  }
  ranks.throw_if_any(faults, ErrorCode::kData);
}

}  // namespace

EvaluationRecord evaluate_on_ranks(const Context& context, const Ranks& ranks,
                                   const std::filesystem::path& folder, const LoadOptions& table,
                                   std::span<const std::string> policies,
                                   const EvaluateOptions& options, Partition partition,
                                   EngineReport& report) {
  refuse_options(ranks, options);
  EvaluationRecord record;
  record.version = kVersion;
  record.revision = source_revision();
  record.commit = build_commit();
  const Stopwatch total;
  Stopwatch watch;
  const auto take_time = [&](const char* phase, const char* last_part) {
    record.timing_seconds[phase] = watch.seconds();
    watch = Stopwatch();
    report.meter.finish(last_part);
  };
  ReadData read = read_together(context, ranks, folder, table, policies, report.meter);
  report.partition = move_to_friends(context, ranks, partition, read.whole, read.rows);
  report.meter.finish("partition");
  Share share = place_nodes(ranks, std::move(read.rows), std::move(read.whole));
  report.num_ghosts = share.ghosts.num_ghosts();
  take_time("load", "places");
  refuse_constant_arms(ranks, share);
  deal_folds(ranks, options.plan.folds, context.seed(), share);
  scale_features(context, ranks,
                 {.smooth = asks_for(options.network_ridge.ridge_groups, GroupKind::kOwnSmooth),
                  .curves = asks_for(options.network_ridge.ridge_groups, GroupKind::kOwnCurves)},
                 share);
  RankSystem system{
      .ranks = ranks,
      .share = share,
      .groups = list_groups_together(context, ranks, share, options.network_ridge.ridge_groups),
      .undersmoothing = options.network_ridge.undersmoothing,
      .num_tasks = static_cast<std::size_t>(options.plan.folds)};
  take_time("inputs", "inputs");
  const LearntTogether learnt = learn_together(context, options.network_ridge, system);
  take_time("variances", "variances");
  const RankSolver solver(context, system, learnt.dense);
  take_time("preconditioner", "preconditioner");
  const RankModel model(context, system, solver);
  take_time("predictions", "predictions");
  const std::vector<ImpliedWeights> implied = model.imply_weights(context, share.policies);
  take_time("weights", "weights");

  LoggedSample sample = sample_of(share);
  // Ranks outlive the run; kernels want to own what they add up by.
  const std::shared_ptr<const Totals> totals(&ranks, [](const Totals*) {});
  DependenceKernels kernels(context, std::make_shared<RankNeighbourhood>(ranks, share), {}, totals);
  ModelNoise noise = describe_noise(context, model, sample, kernels);
  const RankRun run{.context = context,
                    .ranks = ranks,
                    .share = share,
                    .model = model,
                    .sample = std::move(sample),
                    .outcome = {.mu = model.mu()},
                    .noise = std::move(noise),
                    .kernels = std::move(kernels)};
  record.config = config_json(context, options, share.whole);
  record.data = summarise(share.whole);
  for (std::size_t k = 0; k < share.policies.size(); ++k) {
    PolicyResult& result = record.policies.emplace_back(describe_policy(run, k));
    result.estimates.push_back(estimate_policy(run, k, implied[k], options.estimator));
  }
  const CostTable no_costs;
  record.decision = decide(context,
                           {.sample = run.sample,
                            .kernels = run.kernels,
                            .noise = &run.noise,
                            .sample_policies = share.policies,
                            .costs = no_costs},
                           kEstimator, record.policies, options.estimator.dependence);
  take_time("estimates", "estimates");
  record.diagnostics.num_evaluated_nodes = share.whole.num_nodes;
  record.diagnostics.num_self_loops_dropped = share.whole.edges.num_self_loops;
  record.diagnostics.num_edges_merged = share.whole.edges.num_merged;
  std::uint64_t isolated = 0;
  for (const double degree : share.degree) isolated += degree == 0 ? 1 : 0;
  record.diagnostics.num_isolated_nodes = ranks.add_up(isolated);
  record.diagnostics.network_ridge = describe_ridge(system, learnt, model);
  add_ridge_warnings(*record.diagnostics.network_ridge, record.diagnostics.warnings);
  record.diagnostics.warnings.emplace_back(
      "--engine petsc gives no diagnostics and no robust intervals: nothing here says whether the "
      "log supports the policies, or what a hidden confounder could do");
  record.notes = share.whole.notes;
  record.timing_seconds["total"] = total.seconds();
  return record;
}

}  // namespace cone::distributed
