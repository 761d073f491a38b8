#include "study/refute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "estimate/error_parts.hpp"
#include "inference/clusters.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/residual_variance.hpp"
#include "options/option_json.hpp"
#include "study/refute_data.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

PlanOptions plan_of(const RefuteOptions& options) {
  return {.folds = options.folds, .selection_folds = options.selection_folds};
}

/// mean(Σ_a π_a μ_a) − ȳ of every policy by the network ridge, optionally with standard errors.
Json measure_differences(const Context& context, const Dataset& data,
                         std::span<const MatrixView<const double>> policies,
                         const RefuteOptions& options, const VarianceSource& variances,
                         bool with_errors) {
  const FitPlan plan = make_plan(context, data, plan_of(options), context.seed());
  const Nuisances fitted =
      NetworkRidgeLearner(options.network_ridge, variances).fit(context, data, plan);
  const LoggedSample sample = take_sample(data, plan.scored);
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
    out["differences"].push_back(mean(expected_outcome(policy, fitted.outcome->mu.view())) -
                                 observed);
  }
  if (!with_errors) return out;
  const std::vector<ImpliedWeights> implied =
      fitted.outcome->variance->imply_weights(context, weighed);
  const Matrix<double> noise =
      estimate_noise(relative_degrees(data, sample), sample, fitted.outcome->mu.view());
  for (std::size_t k = 0; k < weighed.size(); ++k) {
    std::vector<double> spread = expected_outcome(weighed[k], fitted.outcome->mu.view());
    const double difference = out["differences"][k];
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double units = sample.weight_of(i);
      spread[i] -= units * data.outcome[i] + (units - 1) * difference;
    }
    const double of_units = standard_error(spread);
    // As in cone evaluate, for independent units.
    const ErrorParts parts = decompose_error(*find_estimator("network_dm"),
                                             {.sample = sample,
                                              .policy = weighed[k],
                                              .outcome = &*fitted.outcome,
                                              .implied = &implied[k],
                                              .noise = &noise,
                                              .policy_index = k},
                                             {}, {}, std::vector<double>(sample.size()));
    out["standard_errors"].push_back(error_for_sample(parts, *sample.comm));
    out["population_standard_errors"].push_back(
        std::sqrt(of_units * of_units + implied[k].variance));
  }
  return out;
}

/// Residuals are scaled by the model's noise fraction, as in its standard error: the rest is
/// unexplained signal, which refits miss again.
BootstrapWorld learn_world(const Context& context, const Dataset& data, const FitPlan& plan,
                           std::span<const MatrixView<const double>> policies,
                           const RefuteOptions& options, const Nuisances& fitted) {
  BootstrapWorld world;
  world.mu = fitted.outcome->mu;
  world.residual = residuals(data.treatment, data.outcome, world.mu.view());
  const LoggedSample sample = take_sample(data, plan.scored);
  world.noise = estimate_noise(relative_degrees(data, sample), sample, world.mu.view());
  const std::vector<double> share =
      fitted.outcome->variance->imply_weights(context, policies.first(1)).front().noise_share;
  for (std::size_t i = 0; i < data.num_nodes() && !share.empty(); ++i) {
    world.residual[i] *= std::sqrt(share[data.treatment[i]]);
    for (std::size_t a = 0; a < data.num_arms(); ++a) world.noise(i, a) *= share[a];
  }
  if (options.bootstrap_by == BootstrapUnits::kClusters) {
    world.clusters = cluster_nodes(context, data);
  }
  return world;
}

bool are_numbers(const Json& result, const char* name, std::size_t count) {
  const auto found = result.find(name);
  return found != result.end() && found->is_array() && found->size() == count &&
         std::all_of(found->begin(), found->end(), [](const Json& x) { return x.is_number(); });
}

/// The units: first the original data, then every draw of every check.
class Refuter {
 public:
  /// `stages`: of expected_costs().
  Refuter(const Context& context, const Dataset& data, std::span<const PolicyOnData> policies,
          const RefuteOptions& options)
      : data_(data), options_(options), seed_(context.seed()), checksum_(data.checksum()) {
    Checksum all;
    for (const PolicyOnData& policy : policies) {
      policies_.push_back(policy.probability.view());
      all.add(policy.probability.values());
    }
    policies_checksum_ = all.hex();
    units_.push_back(make_unit("answer", 0, seed_, [this](const Context& unit_context) {
      return measure_differences(unit_context, data_, policies_, options_, answer_,
                                 /*with_errors=*/true);
    }));
    for (const RefuteCheck check : options.chosen_checks()) {
      for (std::uint32_t draw = 0; draw < options.draws; ++draw) {
        const std::uint64_t seed = check == RefuteCheck::kSeeds ? seed_ + 1 + draw : seed_;
        units_.push_back(make_unit(std::string(enum_name(check)), draw, seed,
                                   [this, check, draw](const Context& unit_context) {
                                     return rerun(unit_context, check, draw);
                                   }));
      }
    }
  }

  std::span<const Unit> units() const { return units_; }

  /// Fits the models that the units share.
  void prepare(const Context& context, const StageList& stages) {
    const std::vector<RefuteCheck> checks = options_.chosen_checks();
    const auto has = [&](RefuteCheck check) {
      return std::find(checks.begin(), checks.end(), check) != checks.end();
    };
    const FitPlan plan = make_plan(context, data_, plan_of(options_), seed_);
    {
      const StageScope stage = stages.enter(0);
      const Nuisances fitted =
          NetworkRidgeLearner(options_.network_ridge).fit(context, data_, plan);
      answer_.kept = fitted.outcome->network_ridge;
      if (has(RefuteCheck::kBootstrap)) {
        world_ = learn_world(context, data_, plan, policies_, options_, fitted);
      }
    }
    if (has(RefuteCheck::kPlacebo)) {
      const StageScope stage = stages.enter(1);
      propensity_ = LogisticLearner(options_.nuisance).fit(context, data_, plan).propensity->e;
    }
  }

 private:
  template <class Run>
  Unit make_unit(const std::string& check, std::uint32_t draw, std::uint64_t seed,
                 const Run& run) const {
    Json options = option_json(options_);
    options.erase("checks");
    options.erase("draws");
    if (check != enum_name(RefuteCheck::kBootstrap)) options.erase("bootstrap_by");
    options["check"] = check;
    options["draw"] = draw;
    options["policies"] = policies_checksum_;
    const std::size_t count = policies_.size();
    const bool has_errors = check == "answer";
    return {.identity = {.kind = "refute",
                         .options = std::move(options),
                         .seed = seed,
                         .data_checksum = checksum_},
            .run = run,
            .accepts = [count, has_errors](const Json& result) {
              return result.is_object() && are_numbers(result, "differences", count) &&
                     (!has_errors || (are_numbers(result, "standard_errors", count) &&
                                      are_numbers(result, "population_standard_errors", count)));
            }};
  }

  Json rerun(const Context& context, RefuteCheck check, std::uint32_t draw) const {
    if (check == RefuteCheck::kBootstrap) return refit_bootstrap(context, draw);
    Rng rng(seed_, Stream::kRefuter, 4 * std::uint64_t{draw} + static_cast<std::uint64_t>(check));
    const auto measure = [&](const Dataset& data) {
      return measure_differences(context, data, policies_, options_, answer_,
                                 /*with_errors=*/false);
    };
    switch (check) {
      case RefuteCheck::kPlacebo:
        return measure(permute_treatments(data_, propensity_.view(), rng));
      case RefuteCheck::kFeature:
        return measure(add_random_feature(data_, rng));
      case RefuteCheck::kSeeds:
        return measure(data_);
      case RefuteCheck::kSubset:
      case RefuteCheck::kBootstrap:
        break;
    }
    const std::vector<NodeIndex> nodes = draw_most_nodes(data_.num_nodes(), rng);
    std::vector<Matrix<double>> tables;
    std::vector<MatrixView<const double>> policies;
    for (const MatrixView<const double>& policy : policies_) {
      tables.push_back(take_rows(policy, nodes));
    }
    policies.reserve(tables.size());
    for (const Matrix<double>& table : tables) policies.push_back(table.view());
    return measure_differences(context, select_nodes(data_, nodes), policies, options_, answer_,
                               /*with_errors=*/false);
  }

  /// Estimate minus truth in a bootstrap sample.
  Json refit_bootstrap(const Context& context, std::uint32_t draw) const {
    constexpr std::uint64_t kFirstItem = std::uint64_t{1} << 40;  // beyond those of other checks
    Rng rng(seed_, Stream::kRefuter, kFirstItem + draw);
    const BootstrapSample sample = draw_sample(world_, data_, rng);
    Json out = measure_differences(context, sample.data, policies_, options_, answer_,
                                   /*with_errors=*/false);
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      out["differences"][p] = out["differences"][p].get<double>() - true_gain(sample, policies_[p]);
    }
    return out;
  }

  const Dataset& data_;
  const RefuteOptions& options_;
  std::uint64_t seed_;
  std::string checksum_;
  std::string policies_checksum_;
  std::vector<MatrixView<const double>> policies_;
  Matrix<double> propensity_;
  /// Variance components of the original fit. Reruns keep them: they measure the effect of the data
  /// and the folds, not that of estimating a few variances again.
  VarianceSource answer_;
  BootstrapWorld world_;
  std::vector<Unit> units_;
};

}  // namespace

void RefuteOptions::check(std::vector<Fault>& faults) const {
  for (const std::string& name : checks) {
    const std::vector<std::string> known = enum_choices<RefuteCheck>();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    faults.push_back({{.item = "--checks"},
                      fmt::format("'{}' is not a check", name),
                      fmt::format("choose from {}", fmt::join(known, ", "))});
  }
  network_ridge.check(faults);
}

std::vector<RefuteCheck> RefuteOptions::chosen_checks() const {
  std::vector<RefuteCheck> out;
  for (const auto& [check, name] : EnumNames<RefuteCheck>::kNames) {
    const bool asked = std::find(checks.begin(), checks.end(), name) != checks.end();
    if (asked || checks.empty()) out.push_back(check);
  }
  return out;
}

CheckOutcome judge_check(RefuteCheck check, std::vector<double> differences,
                         const RefutedPolicy& answer) {
  CheckOutcome out{.check = check, .differences = std::move(differences)};
  if (check == RefuteCheck::kPlacebo) {
    out.moved = std::abs(mean(out.differences));
    const double chance = standard_error(out.differences);
    out.allowed = std::max(std::isnan(chance) ? 0 : 2 * chance, answer.standard_error / 2);
  } else {
    // A root mean square: a maximum would grow with the number of reruns.
    const double target = check == RefuteCheck::kBootstrap ? 0 : answer.difference;
    const auto count = static_cast<double>(out.differences.size());
    double squares = 0;
    for (const double difference : out.differences) {
      squares += (difference - target) * (difference - target);
    }
    if (count > 0) out.moved = std::sqrt(squares / count);
    if (check == RefuteCheck::kBootstrap) {
      out.allowed = answer.standard_error * (1 + std::sqrt(2 / std::max(1.0, count)));
    } else if (check == RefuteCheck::kSubset) {
      out.allowed = answer.population_standard_error / 2;
    } else {
      out.allowed = answer.standard_error / 2;
    }
  }
  out.passes = !out.differences.empty() && out.moved <= out.allowed;
  return out;
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const RefuteOptions& options) {
  const std::vector<RefuteCheck> checks = options.chosen_checks();
  const auto has = [&](RefuteCheck check) {
    return std::ranges::find(checks, check) != checks.end();
  };
  const FitSize size = measure_size(context, data, plan_of(options));
  FitSize alone = size;  // reruns run concurrently, each on one thread
  alone.threads = 1;
  const double reruns = 1 + static_cast<double>(checks.size()) * options.draws;
  const double at_once = std::min(size.threads, reruns);
  return {
      {"original data",
       expect_ridge_cost(size, options.network_ridge,
                         {.num_policies = has(RefuteCheck::kBootstrap) ? 1.0 : 0.0})
           .total()},
      {"propensities", has(RefuteCheck::kPlacebo) ? logistic_seconds(size) : 0},
      {"reruns", std::ceil(reruns / at_once) *
                     expect_ridge_cost(alone, options.network_ridge, kept_variances()).total()}};
}

Refutation refute(const Context& context, const Dataset& data,
                  std::span<const PolicyOnData> policies, const RefuteOptions& options,
                  const UnitWork& work) {
  validate(options);
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  if (!data.cluster.empty()) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--cluster"},
                 "is not supported by refute, whose thresholds assume independent units",
                 "--ignore the column instead"});
  }
  Refutation out{.options = options, .seed = context.seed(), .data_checksum = data.checksum()};
  const StageList stages(context, expected_costs(context, data, options));
  Refuter refuter(context, data, policies, options);
  if (lacks_units(work, refuter.units())) {
    if (work.when_incomplete) work.when_incomplete();
    refuter.prepare(context, stages);
  }
  const StageScope stage = stages.enter(2);
  out.units = run_units(context, work, refuter.units(), "refuting");
  const UnitRecord& base = out.units.records.front();
  if (base.status == UnitStatus::kFailed) {
    throw Error(ErrorCode::kData, {{},
                                   "the original data cannot be fitted: " + base.error,
                                   "cone check shows how the data is read"});
  }
  for (std::size_t p = 0; p < policies.size(); ++p) {
    RefutedPolicy& policy = out.policies.emplace_back();
    policy.policy = policies[p].name;
    policy.difference = base.result.at("differences")[p];
    policy.standard_error = base.result.at("standard_errors")[p];
    policy.population_standard_error = base.result.at("population_standard_errors")[p];
    std::size_t next = 1;
    for (const RefuteCheck check : options.chosen_checks()) {
      std::vector<double> differences;
      for (std::uint32_t draw = 0; draw < options.draws; ++draw) {
        const UnitRecord& record = out.units.records[next++];
        if (record.status == UnitStatus::kCompleted) {
          differences.push_back(record.result.at("differences")[p]);
        }
      }
      policy.checks.push_back(judge_check(check, std::move(differences), policy));
    }
  }
  return out;
}

}  // namespace cone
