#include "evaluate/decide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "data/outcome_direction.hpp"
#include "diagnostics/stability.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "evaluate/pair_bounds.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "exec/statistics.hpp"

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

/// Compares the policies by the estimates of one estimator.
class Comparison {
 public:
  Comparison(const Context& context, const LoadedData& data, const EvaluationPlan& plan,
             const Learnt& learnt, const EvaluateOptions& options, const EstimatorInfo& headline,
             std::span<const PolicyResult> results)
      : context_(context),
        data_(data),
        plan_(plan),
        learnt_(learnt),
        options_(options),
        headline_(headline),
        results_(results),
        sample_(plan.sample),
        noise_(learnt.noise_of(headline)),
        outcome_(mean_over_units(plan.sample, plan.sample.outcome)),
        logged_parts_(make_logged_parts(plan.sample, outcome_)),
        logged_policy_(make_logged_policy(plan.sample)),
        sign_(direction_sign(options.direction.prefers_lower())) {}

  Decision run() && {
    const Clustering& clusters = learnt_.kernels->clusters();
    out_ = {.estimator = std::string(headline_.name),
            .is_weighted = !sample_.weight.empty(),
            .num_given_clusters = clusters.given ? clusters.count : 0,
            .is_randomised = is_randomised(data_.observed, learnt_, options_, headline_),
            .is_sensitivity_off = !options_.sensitivity_interval,
            .lower_is_better = options_.direction.prefers_lower(),
            .outcome = outcome_column(data_),
            .costs = plan_.costs.arms};
    if (learnt_.strength) {
      out_.strength_is_clear = learnt_.strength->is_clear;
      out_.direction_is_known = std::ranges::any_of(
          learnt_.strength->arms, [](const ArmConfounding& arm) { return arm.direction != 0; });
    }
    add_logged_policy();
    const std::vector<PolicyStability> stability = measure_stability(
        results_, headline_.name, plan_.folds, data_.observed.cluster, *sample_.comm);
    for (std::size_t p = 0; p < results_.size(); ++p) add_policy(p, stability);
    if (compared_.size() > 1) compare();
    return std::move(out_);
  }

 private:
  /// A policy whose value has valid errors.
  struct Compared {
    std::size_t index;  ///< in Decision::policies
    double value;       ///< net of costs
    const ErrorParts* parts;
    const Matrix<double>* table;         ///< sample × arms, weighed
    const Estimate* estimate = nullptr;  ///< nullptr: the logged policy, or one equal to it
    double own_error = 0;
  };

  void add_logged_policy() {
    DecidedPolicy& logged = out_.policies.emplace_back(
        DecidedPolicy{.name = "logged",
                      .is_logged = true,
                      .value = outcome_,
                      .cost = mean_cost(logged_policy_, plan_.costs, *sample_.comm)});
    logged_value_ = outcome_ - sign_ * logged.cost.value_or(0);
    compared_.push_back(compare_as_logged(0));
  }

  Compared compare_as_logged(std::size_t index) const {
    return {
        .index = index, .value = logged_value_, .parts = &logged_parts_, .table = &logged_policy_};
  }

  void add_policy(std::size_t p, std::span<const PolicyStability> stability) {
    const Matrix<double>& table = plan_.policies.sample[p];
    const auto& estimates = results_[p].estimates;
    const auto e = std::ranges::find(estimates, headline_.name, &Estimate::estimator);
    DecidedPolicy& policy = out_.policies.emplace_back(
        DecidedPolicy{.name = results_[p].name,
                      .value = kNaN,
                      .cost = mean_cost(table, plan_.costs, *sample_.comm),
                      .gain = kNaN,
                      .truth = results_[p].truth});
    if (e == estimates.end()) return;
    policy.value = e->value;
    const double net_value = e->value - sign_ * policy.cost.value_or(0);
    policy.gain = net_value - logged_value_;
    out_.level = e->level;
    out_.target = e->target;
    if (!is_comparable(*e, *sample_.comm)) return;
    policy.interval = e->interval();
    policy.sampling_interval = e->sampling_interval;
    if (!e->joint.empty() && !e->joint.front().is_same()) {
      policy.joint_value = e->value + e->joint.front().shift;
    }
    const std::size_t index = out_.policies.size() - 1;
    if (!sample_.comm->any(!is_same(table, logged_policy_))) {  // its value is the mean outcome
      policy.value = outcome_;
      policy.gain = 0;
      compared_.push_back(compare_as_logged(index));
      return;
    }
    const auto other =
        out_.target == Target::kSample ? e->population_interval() : e->sample_interval();
    if (std::isfinite(other.first)) policy.other_target_interval = other;
    policy.unreliable = find_unreliability(p, *e, stability);
    if (std::isfinite(e->sensitivity_interval.first)) {
      policy.sensitivity_interval = e->sensitivity_interval;
    }
    const double half_width = (e->sampling_interval.second - e->sampling_interval.first) / 2;
    compared_.push_back(
        {.index = index,
         .value = net_value,
         .parts = &e->parts,
         .table = &table,
         .estimate = &*e,
         .own_error = half_width / two_sided_t_quantile(e->level, e->degrees_of_freedom)});
  }

  std::string find_unreliability(std::size_t p, const Estimate& e,
                                 std::span<const PolicyStability> stability) const {
    const Matrix<double>& table = plan_.policies.sample[p];
    std::string learnt = find_learning_failure(plan_.learnt_on[p], headline_.method);
    if (!learnt.empty()) return learnt;
    std::string few =
        find_unreliable(sample_, table.view(), find_weights(table, e.parts),
                        e.effective_sample_size.value_or(learnt_.kernels->num_nodes()));
    if (few.empty()) few = find_few_taken(sample_, table.view());
    if (!few.empty()) return few;
    const auto stable = std::ranges::find(stability, results_[p].name, &PolicyStability::policy);
    return find_failure(sample_, e, headline_.method,
                        stable == stability.end() ? nullptr : &*stable, residual());
  }

  /// v_i, the weights of the outcomes in a value; empty where it has none.
  std::vector<double> find_weights(const Matrix<double>& policy, const ErrorParts& parts) const {
    std::vector<double> weights = parts.coefficient;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] += options_.estimator.arm_noise == ArmNoise::kShared ? sample_.weight_of(i)
                                                                      : policy(i, sample_.arm[i]);
    }
    return weights;
  }

  std::span<const double> residual() const {
    return noise_ == nullptr ? std::span<const double>() : noise_->residual;
  }

  /// Of the parts' means, which may be net of costs.
  std::optional<ComparedErrors> join(std::span<const ErrorParts* const> parts,
                                     Dependence dependence) {
    std::vector<const Matrix<double>*> tables;
    for (const Compared& c : compared_) tables.push_back(c.table);
    const std::optional<JointErrors> errors = join_errors(
        context_, *learnt_.kernels, sample_, out_.target, parts, tables, noise_, dependence);
    if (!errors) return std::nullopt;
    out_.dependence = errors->best().dependence;
    out_.design_effect = errors->design_effect();
    ComparedErrors found{.covariance = errors->best().covariance};
    std::vector<double> own_errors;
    for (const Compared& c : compared_) own_errors.push_back(c.own_error);
    scale_errors(factors_to_own_errors(out_.target, parts, own_errors, found.covariance),
                 found.covariance);
    if (options_.estimator.dependence == Dependence::kLargest) {
      std::vector<double> inflation;
      for (const ErrorParts* p : parts) inflation.push_back(p->inflation);
      found.of_independent_units = errors->ways.front().covariance;
      scale_errors(inflation, found.of_independent_units);
    }
    for (std::size_t k = 0; k < compared_.size(); ++k) {
      // For the sample a gain has the error of the value's own interval, as the logged policy has
      // none.
      const Estimate* e = compared_[k].estimate;
      const double own =
          e != nullptr ? e->degrees_of_freedom : std::numeric_limits<double>::infinity();
      found.degrees_of_freedom.push_back(out_.target == Target::kSample ? own
                                                                        : errors->degrees_of(k));
    }
    return found;
  }

  void compare() {
    std::vector<const ErrorParts*> parts;
    std::vector<double> values;
    std::vector<std::uint8_t> unreliable;
    std::vector<Alternatives> alternatives;
    std::vector<const Matrix<double>*> tables;
    std::vector<const Estimate*> estimates;
    for (const Compared& c : compared_) {
      parts.push_back(c.parts);
      values.push_back(c.value);
      unreliable.push_back(out_.policies[c.index].unreliable.empty() ? 0 : 1);
      alternatives.push_back(c.estimate != nullptr ? c.estimate->alternatives() : Alternatives());
      tables.push_back(c.table);
      estimates.push_back(c.estimate);
    }
    const std::optional<ComparedErrors> gross = join(parts, options_.estimator.dependence);
    if (!gross) return;
    std::optional<ComparedErrors> net = gross;
    // For the sample costs are known: they shift values and change no interval's width.
    const bool has_uncertain_costs = plan_.costs.is_given() && out_.target == Target::kPopulation;
    if (has_uncertain_costs) {
      const double design_effect = out_.design_effect;
      std::vector<ErrorParts> net_parts;
      net_parts.reserve(parts.size());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        net_parts.push_back(
            subtract_costs(sample_, *compared_[k].table, plan_.costs, sign_, *parts[k]));
        parts[k] = &net_parts[k];
      }
      net = join(parts, out_.dependence);
      out_.design_effect = design_effect;
    }
    const PairBounds bounds(sample_, residual(), learnt_.strength ? &*learnt_.strength : nullptr,
                            tables, estimates);
    has_bounds_ = std::ranges::any_of(estimates, [](const Estimate* e) {
      return e != nullptr && std::isfinite(e->sensitivity_interval.first);
    });
    const bool lists_all = results_.size() <= static_cast<std::size_t>(options_.list_pairs_up_to);
    const PolicyComparison comparison =
        compare_policies(context_, values, net->covariance.view(), out_.level,
                         {.listed = lists_all ? ListedPairs::kAll : ListedPairs::kWithFirst,
                          .bias = has_bounds_ ? PairBias(bounds) : PairBias(),
                          .unreliable = unreliable,
                          .least_covariance = net->of_independent_units.view(),
                          .degrees_of_freedom = net->degrees_of_freedom,
                          .alternatives = alternatives,
                          .lower_is_better = out_.lower_is_better});
    const PolicyComparison before_costs =
        has_uncertain_costs
            ? compare_policies(context_, values, gross->covariance.view(), out_.level,
                               {.listed = ListedPairs::kWithFirst,
                                .degrees_of_freedom = gross->degrees_of_freedom,
                                .alternatives = alternatives})
            : comparison;
    for (std::size_t k = 0; k < compared_.size(); ++k) {
      rank(k, comparison.policies[k], before_costs.policies[k]);
      set_net_intervals(k, *gross, *net, comparison.policies[k]);
    }
    const VerdictBasis basis =
        choose_basis(out_.is_randomised, learnt_.strength ? &*learnt_.strength : nullptr);
    for (const PolicyDifference& pair : comparison.differences) add_difference(pair, basis);
    out_.num_pairs_left_out =
        compared_.size() * (compared_.size() - 1) / 2 - comparison.differences.size();
    out_.has_benchmark = basis != VerdictBasis::kNothing;
    if (out_.has_benchmark) out_.single_best = find_single_best(out_);
  }

  void rank(std::size_t k, const RankedPolicy& ranked, const RankedPolicy& before_costs) {
    DecidedPolicy& policy = out_.policies[compared_[k].index];
    const double cost = sign_ * policy.cost.value_or(0);
    policy.joint_interval = shift(before_costs.joint_interval, cost);
    policy.band = shift(before_costs.band, cost);
    // A policy without a valid interval may rank above any other.
    const std::size_t unknown = out_.policies.size() - compared_.size();
    policy.ranks = {ranked.best_rank, ranked.worst_rank + unknown};
    policy.may_be_best = ranked.may_be_best;
    if (out_.is_randomised) {
      policy.sensitivity_ranks = policy.ranks;
      policy.sensitivity_may_be_best = policy.may_be_best;
    } else if (has_bounds_) {
      policy.sensitivity_ranks = {ranked.sensitivity_best_rank,
                                  ranked.sensitivity_worst_rank + unknown};
      policy.sensitivity_may_be_best = ranked.sensitivity_may_be_best;
    }
    policy.regret = ranked.regret;
  }

  void set_net_intervals(std::size_t k, const ComparedErrors& gross, const ComparedErrors& net,
                         const RankedPolicy& ranked) {
    DecidedPolicy& policy = out_.policies[compared_[k].index];
    const double quantile = two_sided_t_quantile(out_.level, gross.degrees_of_freedom[k]);
    const double half_width = quantile * gross.error_of(k);
    if (compared_[k].estimate == nullptr) {  // the logged policy, or one equal to it
      policy.sampling_interval = {policy.value - half_width, policy.value + half_width};
      policy.interval = policy.sampling_interval;
    }
    if (!policy.cost) return;
    const double cost = sign_ * *policy.cost;
    const double wider =
        gross.error_of(k) > 0 ? half_width * (net.error_of(k) / gross.error_of(k) - 1) : 0;
    const auto net_of = [&](const std::optional<std::pair<double, double>>& interval) {
      return interval ? std::optional(shift(widen(*interval, wider), -cost)) : interval;
    };
    policy.net_interval = net_of(policy.interval);
    policy.net_sampling_interval = net_of(policy.sampling_interval);
    policy.net_sensitivity_interval = net_of(policy.sensitivity_interval);
    policy.net_joint_interval = ranked.joint_interval;
    policy.net_band = ranked.band;
  }

  /// `pair`: by positions in compared_.
  void add_difference(PolicyDifference pair, VerdictBasis basis) {
    const std::size_t first = compared_[pair.first].index;
    const std::size_t second = compared_[pair.second].index;
    if (pair.first == 0) {
      DecidedPolicy& policy = out_.policies[second];
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
    if (out_.policies[first].unreliable.empty() && out_.policies[second].unreliable.empty()) {
      pair.verdict = judge_comparison(pair.interval, pair.sensitivity_interval, basis);
    }
    pair.first = first;
    pair.second = second;
    out_.differences.push_back(pair);
  }

  const Context& context_;
  const LoadedData& data_;
  const EvaluationPlan& plan_;
  const Learnt& learnt_;
  const EvaluateOptions& options_;
  const EstimatorInfo& headline_;
  std::span<const PolicyResult> results_;
  const LoggedSample& sample_;
  const ModelNoise* noise_;  ///< of the headline's outcome model; nullptr where it has none
  double outcome_;           ///< mean of the logged outcomes
  ErrorParts logged_parts_;
  Matrix<double> logged_policy_;
  double sign_;  ///< costs make a policy worse
  double logged_value_ = 0;
  bool has_bounds_ = false;         ///< some estimate has a sensitivity interval
  std::vector<Compared> compared_;  ///< the logged policy first
  Decision out_;
};

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
  const double cost = *mean_cost(policy, costs, *sample.comm);
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

bool is_randomised(const Dataset& data, const Learnt& learnt, const EvaluateOptions& options,
                   const EstimatorInfo& headline) {
  if (headline.weights == LearnerId::kGiven) return true;  // known propensities
  return options.randomised && headline.method != Method::kArmMeans &&
         !contradicts_declaration(options, learnt.strength, !data.cluster.empty());
}

std::optional<Decision> decide(const Context& context, const LoadedData& data,
                               const EvaluationPlan& plan, const Learnt& learnt,
                               const EvaluateOptions& options,
                               std::span<const PolicyResult> results) {
  const EstimatorInfo* headline = choose_headline(learnt.ready);
  if (!learnt.kernels || headline == nullptr) return std::nullopt;
  return Comparison(context, data, plan, learnt, options, *headline, results).run();
}

}  // namespace cone
