#include "evaluate/decide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "evaluate/pair_bounds.hpp"
#include "evaluate/reliability.hpp"
#include "evaluate/stability_diagnostics.hpp"

namespace cone {
namespace {

constexpr std::array<std::string_view, 4> kPreferred = {"network_dm", "dr_ridge", "dr", "cone"};

/// The logged assignment as a policy, times the survey weights as policies are.
Matrix<double> make_logged_policy(const LoggedSample& sample) {
  Matrix<double> table(sample.size(), sample.num_arms(), 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) table(i, sample.arm[i]) = sample.weight_of(i);
  return table;
}

/// The value of the logged policy is known for the sample; for the population it is a sample mean.
ErrorParts make_logged_parts(const LoggedSample& sample, double value) {
  ErrorParts parts;
  parts.sample.assign(sample.size(), 0.0);
  parts.coefficient.assign(sample.size(), 0.0);
  parts.grouped.assign(sample.size(), 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    parts.population.push_back(sample.weight_of(i) * (sample.outcome[i] - value));
  }
  return parts;
}

std::pair<double, double> widen(std::pair<double, double> interval, double by) {
  return {interval.first - by, interval.second + by};
}

std::pair<double, double> shift(std::pair<double, double> interval, double by) {
  return {interval.first + by, interval.second + by};
}

std::pair<double, double> negate(std::pair<double, double> interval) {
  return {0.0 - interval.second, 0.0 - interval.first};  // never −0
}

/// Multiplies standard errors and keeps correlations.
void scale_errors(std::span<const double> factor, Matrix<double>& covariance) {
  for (std::size_t k = 0; k < factor.size(); ++k) {
    for (std::size_t l = 0; l < factor.size(); ++l) covariance(k, l) *= factor[k] * factor[l];
  }
}

/// For the sample the value of the logged policy is known, so a gain has the standard error of the
/// value's own interval: under the dependence that is largest for this policy, with the spread over
/// repeats. For the population it is a difference of two means, under one dependence for both.
std::vector<double> factors_to_own_errors(Target target, std::span<const ErrorParts* const> parts,
                                          std::span<const double> own_errors,
                                          const Matrix<double>& covariance) {
  std::vector<double> factor(parts.size(), 1.0);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (target == Target::kPopulation) {
      factor[k] = parts[k]->inflation;
    } else if (covariance(k, k) > 0) {
      factor[k] = own_errors[k] / std::sqrt(covariance(k, k));
    }
  }
  return factor;
}

/// Of the values that are compared.
struct ComparedErrors {
  Matrix<double> covariance;
  Matrix<double> of_independent_units;  ///< empty where a dependence was asked for
  std::vector<double> degrees_of_freedom;

  double error_of(std::size_t k) const { return std::sqrt(std::max(0.0, covariance(k, k))); }
};

/// v_i, the weights of the outcomes in a value; empty where it has none.
std::vector<double> find_weights(const Comparable& compared, std::size_t policy,
                                 const ErrorParts& parts) {
  std::vector<double> weights = parts.coefficient;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += compared.arm_noise == ArmNoise::kShared
                      ? compared.sample.weight_of(i)
                      : compared.sample_policies[policy](i, compared.sample.arm[i]);
  }
  return weights;
}

/// The only policy that may be the best, allowing for unmeasured confounding. A policy without a
/// valid or reliable interval may always be.
std::optional<std::string> find_single_best(const Decision& decision) {
  const DecidedPolicy* best = nullptr;
  for (const DecidedPolicy& policy : decision.policies) {
    if (policy.sensitivity_ranks && !policy.sensitivity_may_be_best) continue;
    if (best != nullptr) return std::nullopt;
    best = &policy;
  }
  if (best == nullptr || !best->sensitivity_ranks) return std::nullopt;
  return best->name;
}

bool is_same(const Matrix<double>& a, const Matrix<double>& b) {
  return std::ranges::equal(a.values(), b.values());
}

}  // namespace

bool is_comparable(const Estimate& e, const Communicator& comm) {
  if (!std::isfinite(e.value) || std::isnan(e.standard_error)) return false;
  return comm.any(!(e.target == Target::kSample ? e.parts.sample : e.parts.population).empty());
}

const EstimatorInfo* choose_headline(std::span<const EstimatorInfo> rows) {
  for (const std::string_view name : kPreferred) {
    const auto found = std::ranges::find(rows, name, &EstimatorInfo::name);
    if (found != rows.end()) return &*found;
  }
  const auto corrected = std::ranges::find(rows, Method::kDoublyRobust, &EstimatorInfo::method);
  if (corrected != rows.end()) return &*corrected;
  return rows.empty() ? nullptr : &rows.front();
}

ErrorParts subtract_costs(const LoggedSample& sample, const Matrix<double>& policy,
                          const CostTable& costs, double sign, ErrorParts parts) {
  const double cost = *mean_cost(policy, costs);
  for (std::size_t i = 0; i < parts.population.size(); ++i) {
    const double above = dot(policy.row(i), costs.per_node.row(i)) - sample.weight_of(i) * cost;
    parts.population[i] -= sign * above;
  }
  return parts;
}

void warn_of_refused_dependence(Dependence wanted, const Decision& decision,
                                std::vector<std::string>& warnings) {
  if (wanted == Dependence::kLargest || wanted == decision.dependence) return;
  warnings.push_back(
      fmt::format("--dependence {} cannot be used here: intervals use {}; standard_errors in the "
                  "record (--json) "
                  "has the reason",
                  enum_name(wanted), enum_name(decision.dependence)));
}

Decision decide(const Context& context, const Comparable& compared, std::string_view estimator,
                std::span<const PolicyResult> results, Dependence wanted, int listed_up_to) {
  const LoggedSample& sample = compared.sample;
  const Communicator& comm = compared.kernels.comm();
  CompensatedSum logged;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    logged.add(sample.weight_of(i) * sample.outcome[i]);
  }
  const double outcome = comm.allreduce(logged.value()) / compared.kernels.num_nodes();
  const ErrorParts logged_parts = make_logged_parts(sample, outcome);
  const Matrix<double> logged_policy = make_logged_policy(sample);
  Decision out{.estimator = std::string(estimator),
               .is_weighted = !sample.weight.empty(),
               .is_randomised = compared.is_randomised,
               .is_sensitivity_off = compared.is_sensitivity_off,
               .lower_is_better = compared.lower_is_better};
  const Clustering& clusters = compared.kernels.clusters();
  out.num_given_clusters = clusters.given ? clusters.count : 0;
  out.costs = compared.costs.arms;
  out.policies.push_back({.name = "logged",
                          .is_logged = true,
                          .value = outcome,
                          .cost = mean_cost(logged_policy, compared.costs)});
  const double sign = direction_sign(compared.lower_is_better);  // costs make a policy worse
  const double logged_value = outcome - sign * out.policies[0].cost.value_or(0);
  std::vector<const ErrorParts*> parts = {&logged_parts};
  std::vector<const Matrix<double>*> tables = {&logged_policy};
  std::vector<std::size_t> indices = {0};  // in out.policies, of the compared policies
  std::vector<double> values = {logged_value};
  std::vector<double> own_errors = {0};
  const std::vector<PolicyStability> stability =
      measure_stability(results, estimator, compared.plan, compared.cluster, comm);
  std::vector<const Estimate*> estimates = {nullptr};  // of policies other than the logged one
  for (std::size_t p = 0; p < results.size(); ++p) {
    const auto e = std::ranges::find(results[p].estimates, estimator, &Estimate::estimator);
    DecidedPolicy& policy = out.policies.emplace_back();
    policy.name = results[p].name;
    policy.truth = results[p].truth;
    policy.value = kNaN;
    policy.gain = kNaN;
    policy.cost = mean_cost(compared.sample_policies[p], compared.costs);
    if (e == results[p].estimates.end()) continue;
    policy.value = e->value;
    const double net_value = e->value - sign * policy.cost.value_or(0);
    policy.gain = net_value - logged_value;
    out.level = e->level;
    out.target = e->target;
    if (!is_comparable(*e, comm)) continue;
    policy.interval = e->interval();
    policy.sampling_interval = e->sampling_interval;
    if (!e->joint.empty() && !e->joint.front().is_same()) {
      policy.joint_value = e->value + e->joint.front().shift;
    }
    const auto other =
        out.target == Target::kSample ? e->population_interval() : e->sample_interval();
    if (std::isfinite(other.first)) policy.other_target_interval = other;
    indices.push_back(out.policies.size() - 1);
    const bool differs = !is_same(compared.sample_policies[p], logged_policy);
    if (comm.allreduce_max(differs ? 1.0 : 0.0) == 0) {  // its value is the mean outcome
      policy.value = outcome;
      policy.gain = 0;
      policy.other_target_interval.reset();
      parts.push_back(&logged_parts);
      tables.push_back(&logged_policy);
      values.push_back(logged_value);
      own_errors.push_back(0);
      estimates.push_back(nullptr);
      continue;
    }
    policy.unreliable = find_unreliable(
        sample, compared.sample_policies[p].view(), find_weights(compared, p, e->parts),
        e->effective_sample_size.value_or(compared.kernels.num_nodes()));
    if (!compared.in_sample.empty() && compared.in_sample[p] != 0) {
      policy.unreliable = "it was learnt from the same data, so the interval is not valid";
    }
    if (policy.unreliable.empty()) {
      const auto stable = std::ranges::find(stability, policy.name, &PolicyStability::policy);
      policy.unreliable = find_failure(
          sample, *e, stable == stability.end() ? nullptr : &*stable,
          compared.noise == nullptr ? std::span<const double>() : compared.noise->residual);
    }
    estimates.push_back(&*e);
    if (std::isfinite(e->sensitivity_interval.first))
      policy.sensitivity_interval = e->sensitivity_interval;
    parts.push_back(&e->parts);
    tables.push_back(&compared.sample_policies[p]);
    values.push_back(net_value);
    own_errors.push_back((e->sampling_interval.second - e->sampling_interval.first) / 2 /
                         two_sided_t_quantile(e->level, e->degrees_of_freedom));
  }
  if (parts.size() == 1) return out;
  const auto join = [&](Dependence dependence) -> std::optional<ComparedErrors> {
    const std::optional<JointErrors> errors = join_errors(
        context, compared.kernels, sample, out.target, parts, tables, compared.noise, dependence);
    if (!errors) return std::nullopt;
    out.dependence = errors->best().dependence;
    out.design_effect = errors->design_effect();
    ComparedErrors found{.covariance = errors->best().covariance};
    scale_errors(factors_to_own_errors(out.target, parts, own_errors, found.covariance),
                 found.covariance);
    if (wanted == Dependence::kLargest) {
      std::vector<double> inflation;
      inflation.reserve(parts.size());
      for (const ErrorParts* p : parts) inflation.push_back(p->inflation);
      found.of_independent_units = errors->ways.front().covariance;
      scale_errors(inflation, found.of_independent_units);
    }
    for (std::size_t k = 0; k < estimates.size(); ++k) {
      // For the sample a gain has the error of the value's own interval, as the logged policy has
      // none.
      const double own = estimates[k] != nullptr ? estimates[k]->degrees_of_freedom
                                                 : std::numeric_limits<double>::infinity();
      found.degrees_of_freedom.push_back(out.target == Target::kSample ? own
                                                                       : errors->degrees_of(k));
    }
    return found;
  };
  const std::optional<ComparedErrors> gross = join(wanted);
  if (!gross) return out;
  std::optional<ComparedErrors> net = gross;
  // For the sample costs are known: they shift values and change no interval's width.
  const bool has_uncertain_costs = compared.costs.is_given() && out.target == Target::kPopulation;
  std::vector<ErrorParts> net_parts;
  const double design_effect = out.design_effect;
  if (has_uncertain_costs) {
    net_parts.reserve(parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      net_parts.push_back(subtract_costs(sample, *tables[k], compared.costs, sign, *parts[k]));
      parts[k] = &net_parts[k];
    }
    net = join(out.dependence);
    out.design_effect = design_effect;
  }
  const bool lists_all = results.size() <= static_cast<std::size_t>(listed_up_to);
  const PairBounds bounds(compared, tables, estimates);
  const bool has_bounds = std::ranges::any_of(estimates, [](const Estimate* e) {
    return e != nullptr && std::isfinite(e->sensitivity_interval.first);
  });
  std::vector<std::uint8_t> unreliable(indices.size(), 0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    unreliable[k] = out.policies[indices[k]].unreliable.empty() ? 0 : 1;
  }
  std::vector<Alternatives> alternatives;
  alternatives.reserve(estimates.size());
  for (const Estimate* e : estimates) {
    alternatives.push_back(e != nullptr ? e->alternatives() : Alternatives());
  }
  const PolicyComparison comparison =
      compare_policies(context, values, net->covariance.view(), out.level,
                       {.listed = lists_all ? ListedPairs::kAll : ListedPairs::kWithFirst,
                        .bias = has_bounds ? PairBias(bounds) : PairBias(),
                        .unreliable = unreliable,
                        .least_covariance = net->of_independent_units.view(),
                        .degrees_of_freedom = net->degrees_of_freedom,
                        .alternatives = alternatives,
                        .lower_is_better = out.lower_is_better});
  const PolicyComparison before_costs =
      has_uncertain_costs ? compare_policies(context, values, gross->covariance.view(), out.level,
                                             {.listed = ListedPairs::kWithFirst,
                                              .degrees_of_freedom = gross->degrees_of_freedom,
                                              .alternatives = alternatives})
                          : comparison;
  out.num_pairs_left_out =
      indices.size() * (indices.size() - 1) / 2 - comparison.differences.size();
  for (std::size_t k = 0; k < indices.size(); ++k) {
    DecidedPolicy& policy = out.policies[indices[k]];
    const RankedPolicy& ranked = comparison.policies[k];
    const double cost = sign * policy.cost.value_or(0);
    policy.joint_interval = shift(before_costs.policies[k].joint_interval, cost);
    policy.band = shift(before_costs.policies[k].band, cost);
    // A policy without a valid interval may rank above any other.
    const std::size_t unknown = out.policies.size() - indices.size();
    policy.ranks = {ranked.best_rank, ranked.worst_rank + unknown};
    policy.may_be_best = ranked.may_be_best;
    if (out.is_randomised) {
      policy.sensitivity_ranks = policy.ranks;
      policy.sensitivity_may_be_best = policy.may_be_best;
    } else if (has_bounds) {
      policy.sensitivity_ranks = {ranked.sensitivity_best_rank,
                                  ranked.sensitivity_worst_rank + unknown};
      policy.sensitivity_may_be_best = ranked.sensitivity_may_be_best;
    }
    policy.regret = ranked.regret;
    const double quantile = two_sided_t_quantile(out.level, gross->degrees_of_freedom[k]);
    const double half_width = quantile * gross->error_of(k);
    if (estimates[k] == nullptr) {  // the logged policy, or one equal to it
      policy.sampling_interval = {policy.value - half_width, policy.value + half_width};
      policy.interval = policy.sampling_interval;
    }
    if (!policy.cost) continue;
    const double wider =
        gross->error_of(k) > 0 ? half_width * (net->error_of(k) / gross->error_of(k) - 1) : 0;
    const auto net_of = [&](const std::optional<std::pair<double, double>>& interval) {
      return interval ? std::optional(shift(widen(*interval, wider), -cost)) : interval;
    };
    policy.net_interval = net_of(policy.interval);
    policy.net_sampling_interval = net_of(policy.sampling_interval);
    policy.net_sensitivity_interval = net_of(policy.sensitivity_interval);
    policy.net_joint_interval = ranked.joint_interval;
    policy.net_band = ranked.band;
  }
  const VerdictBasis basis = choose_basis(out.is_randomised, compared.strength);
  for (PolicyDifference pair : comparison.differences) {
    if (pair.first == 0) {
      DecidedPolicy& policy = out.policies[indices[pair.second]];
      policy.gain_interval = negate(pair.interval);
      policy.sampling_gain_interval = negate(pair.sampling_interval);
      policy.gain_p = pair.p;
      if (policy.sensitivity_interval && pair.sensitivity_interval) {
        policy.sensitivity_gain_interval = negate(*pair.sensitivity_interval);
        policy.overturning_strength = pair.overturning_strength;
      }
      if (policy.unreliable.empty()) {
        policy.verdict =
            judge_comparison(*policy.gain_interval, policy.sensitivity_gain_interval, basis);
      }
    }
    const auto is_reliable = [&](std::size_t k) {
      return out.policies[indices[k]].unreliable.empty();
    };
    if (is_reliable(pair.first) && is_reliable(pair.second)) {
      pair.verdict = judge_comparison(pair.interval, pair.sensitivity_interval, basis);
    }
    pair.first = indices[pair.first];
    pair.second = indices[pair.second];
    out.differences.push_back(pair);
  }
  out.has_benchmark = basis != VerdictBasis::kNothing;
  if (out.has_benchmark) out.single_best = find_single_best(out);
  return out;
}

}  // namespace cone
