#include "policy_tree/rule_value.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "estimate/degrees_of_freedom.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "policy_tree/mean_errors.hpp"

namespace cone {
namespace {

std::vector<double> scores_of(const Matrix<double>& scores, std::span<const Arm> arms) {
  std::vector<double> out(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) out[i] = scores(i, arms[i]);
  return out;
}

/// The weighted share of units not assigned to the control arm.
double treated_share(const LoggedSample& sample, std::span<const Arm> arms) {
  double treated = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i] != kControlArm) treated += sample.weight_of(i);
  }
  return treated / static_cast<double>(arms.size());
}

/// Decisions as a policy, sample × arms, times the survey weights.
Matrix<double> make_policy(const LoggedSample& sample, std::span<const Arm> arms) {
  Matrix<double> policy(arms.size(), sample.num_arms());
  for (std::size_t i = 0; i < arms.size(); ++i) policy(i, arms[i]) = sample.weight_of(i);
  return policy;
}

/// The weights of the outcomes in the value of decisions.
std::vector<double> find_weights(const RuleScores& scores, std::span<const Arm> arms) {
  const LoggedSample& sample = scores.sample;
  std::vector<double> weights(arms.size(), 0.0);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (sample.arm[i] != arms[i]) continue;
    weights[i] = sample.weight_of(i) / scores.propensity.e(i, arms[i]);
  }
  return weights;
}

std::vector<double> subtract(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out(a.size());
  std::transform(a.begin(), a.end(), b.begin(), out.begin(), std::minus<>());
  return out;
}

/// The rule and its alternatives: score of every node under each, times its survey weight.
class Comparison {
 public:
  /// `rule`, `weights`: scores of the nodes under the rule, and the weights of their outcomes in
  /// its value.
  Comparison(const LoggedSample& sample, std::span<const double> rule,
             std::span<const double> weights)
      : sample_(sample), rule_(rule), weights_(weights) {}

  void add(RuleValue& value, std::string name, std::span<const double> scores,
           std::span<const double> weights, std::span<const Arm> arms) {
    value.name = std::move(name);
    value.value = mean(scores);
    value.treated_fraction = treated_share(sample_, arms);
    std::vector<double> gains = subtract(rule_, scores);
    value.gain = mean(gains);
    values_.push_back(&value);
    add_column(value.value, {scores.begin(), scores.end()}, weights);
    add_column(value.gain, std::move(gains), subtract(weights_, weights));
  }

  /// Standard errors and intervals of all values and gains at once.
  void measure_errors(const Context& context, const Dataset& data,
                      const LearnPolicyOptions& options) {
    const std::vector<MeanError> errors =
        measure_mean_errors(context, data, columns_, degrees_, options.dependence, options.level);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      RuleValue& value = *values_[k];
      const MeanError& own = errors[2 * k];
      const MeanError& gain = errors[2 * k + 1];
      value.standard_error = own.standard_error;
      value.sampling_interval = {value.value - own.half_width, value.value + own.half_width};
      value.gain_error = gain.standard_error;
      value.sampling_gain_interval = {value.gain - gain.half_width, value.gain + gain.half_width};
    }
  }

 private:
  /// Turns w·x into w·(x − mean) + mean: the variation of the survey weights is not an error.
  void add_column(double centre, std::vector<double> column, std::span<const double> weights) {
    std::vector<double> errors(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] -= (sample_.weight_of(i) - 1) * centre;
      errors[i] = column[i] - centre;
    }
    degrees_.push_back(
        satterthwaite_degrees(sample_, errors, count_arm_degrees(sample_, weights, {})));
    columns_.push_back(std::move(column));
  }

  const LoggedSample& sample_;
  std::span<const double> rule_, weights_;
  std::vector<RuleValue*> values_;
  std::vector<std::vector<double>> columns_;  // per value: scores, then gains
  std::vector<double> degrees_;               // of freedom, of every column
};

/// Without overlap there is no valid standard error.
void drop_errors(bool of_rule, RuleValue& out) {
  constexpr std::pair kNone{kNaN, kNaN};
  if (!of_rule) {
    out.standard_error = kNaN;
    out.sampling_interval = kNone;
  }
  out.gain_error = kNaN;
  out.sampling_gain_interval = kNone;
}

void add_once(std::string warning, std::vector<std::string>& warnings) {
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

/// Adds the warnings of an evaluation of these decisions; returns whether it has a standard error.
bool add_warnings(const RuleScores& scores, std::span<const Arm> arms, const std::string& prefix,
                  double level, std::vector<std::string>& warnings) {
  const EstimatorInfo estimator{"dr", Method::kDoublyRobust, LearnerId::kRidge,
                                LearnerId::kLogistic, ""};
  const Matrix<double> policy = make_policy(scores.sample, arms);
  EstimatorOptions options;
  options.correction = Correction::kPlain;
  options.level = level;
  const Estimate found = estimate(estimator,
                                  {.sample = scores.sample,
                                   .policy = policy.view(),
                                   .outcome = &scores.outcome,
                                   .propensity = &scores.propensity},
                                  options);
  for (const std::string& warning : found.warnings) add_once(prefix + warning, warnings);
  return std::isfinite(found.standard_error);
}

/// Half-width of intervals for all alternatives at once over that of one interval (Bonferroni).
double widen_for_all(const LearntPolicy& policy, double level) {
  const auto num_compared =
      static_cast<double>(1 + std::ranges::count(policy.singles, true, &RuleValue::within_budget));
  return two_sided_normal_quantile(1 - (1 - level) / num_compared) /
         two_sided_normal_quantile(level);
}

/// Verdicts on the gains of the rule.
class GainJudge {
 public:
  /// `widening`: of the intervals (widen_for_all), or 1.
  GainJudge(const RuleScores& scores, std::span<const Arm> rule, const NetworkStrength* strength,
            bool is_randomised, double widening)
      : scores_(scores),
        rule_(make_policy(scores.sample, rule)),
        strength_(strength),
        is_randomised_(is_randomised),
        widening_(widening),
        residual_(residuals(scores.sample.arm, scores.sample.outcome, scores.outcome.mu.view())),
        unreliable_(find_few(rule, rule_)) {}

  /// `arms`: of the alternative; empty: the logged policy, whose value is observed.
  void judge(std::span<const Arm> arms, RuleValue& value) const {
    value.unreliable = unreliable_;
    value.verdict = ComparisonVerdict::kNotShown;
    Matrix<double> contrast = rule_;
    if (!arms.empty()) {
      const Matrix<double> other = make_policy(scores_.sample, arms);
      for (std::size_t k = 0; k < contrast.values().size(); ++k) {
        contrast.values()[k] -= other.values()[k];
      }
      if (value.unreliable.empty()) value.unreliable = find_few(arms, other);
    }
    const auto [low, high] = value.sampling_gain_interval;
    const bool is_same = value.gain_error == 0;  // decides as the alternative does
    if (strength_ != nullptr && std::isfinite(low) && !is_same) {
      const BiasBound bound =
          bound_confounding_bias(scores_.sample, contrast.view(), residual_, *strength_).bound;
      value.sensitivity_gain_interval = {low - bound.too_high, high + bound.too_low};
      value.overturning_strength = strength_to_overturn(value.sampling_gain_interval, bound);
    }
    if (!value.unreliable.empty()) return;
    const double wider = (widening_ - 1) * (high - low) / 2;
    auto sensitivity = value.sensitivity_gain_interval;
    if (sensitivity) sensitivity = {sensitivity->first - wider, sensitivity->second + wider};
    const VerdictBasis basis = choose_basis(is_randomised_, strength_);
    value.verdict = judge_comparison({low - wider, high + wider}, sensitivity, basis);
    const bool excludes_zero = low > 0 || high < 0;
    if (excludes_zero && value.verdict == ComparisonVerdict::kNotShown) {
      value.unreliable = "its interval contains 0 at the level of all comparisons together";
    }
  }

 private:
  std::string find_few(std::span<const Arm> arms, const Matrix<double>& policy) const {
    const std::vector<double> weights = find_weights(scores_, arms);
    return find_unreliable(scores_.sample, policy.view(), weights, kNaN);
  }

  const RuleScores& scores_;
  Matrix<double> rule_;
  const NetworkStrength* strength_;
  bool is_randomised_;
  double widening_;
  std::vector<double> residual_;
  std::string unreliable_;  ///< of the rule itself
};

/// Whether the verdicts say that the rule is better than every single arm within the budget.
bool beats_all_arms(const LearntPolicy& policy, bool lower_is_better) {
  return std::ranges::all_of(policy.singles, [&](const RuleValue& single) {
    return !single.within_budget ||
           (single.verdict != ComparisonVerdict::kNotShown && (single.gain > 0) != lower_is_better);
  });
}

RuleVerdict judge(const LearntPolicy& policy, bool lower_is_better) {
  if (policy.tree.nodes.size() == 1) return RuleVerdict::kSingleArm;
  const bool is_worse = std::ranges::any_of(policy.singles, [&](const RuleValue& single) {
    return single.within_budget && single.verdict != ComparisonVerdict::kNotShown &&
           (single.gain > 0) == lower_is_better;
  });
  if (is_worse) return RuleVerdict::kWorse;
  return beats_all_arms(policy, lower_is_better) ? RuleVerdict::kBetter : RuleVerdict::kUnclear;
}

/// The trees of different folds choose by the same noise, so that single intervals of gains miss 0
/// more often than their level says where there is no effect (docs/learn.md): verdicts are at the
/// level of all comparisons. But that the rule is better than *every* single arm is one claim,
/// which needs no such level (an intersection-union test: Berger 1982, Multiparameter hypothesis
/// testing and acceptance sampling).
void judge_gains(const RuleScores& scores, std::span<const Arm> rule, std::span<const Arm> single,
                 const NetworkStrength* strength, const LearnPolicyOptions& options,
                 LearntPolicy& out) {
  const bool lower_is_better = options.direction.prefers_lower();
  const auto judge_arms = [&](const GainJudge& judge_gain) {
    judge_gain.judge(single, out.best_single);
    for (std::size_t a = 0; a < out.arms.size(); ++a) {
      judge_gain.judge(std::vector<Arm>(scores.sample.size(), static_cast<Arm>(a)), out.singles[a]);
    }
  };
  const GainJudge among_all(scores, rule, strength, out.is_randomised,
                            widen_for_all(out, options.level));
  among_all.judge({}, out.logged);
  judge_arms(GainJudge(scores, rule, strength, out.is_randomised, 1));
  if (!beats_all_arms(out, lower_is_better)) judge_arms(among_all);
  out.verdict = judge(out, lower_is_better);
}

}  // namespace

void value_rule(const Context& context, const Dataset& data, const RuleScores& scores,
                std::span<const Arm> rule, std::span<const Arm> single,
                const NetworkStrength* strength, const LearnPolicyOptions& options,
                LearntPolicy& out) {
  const LoggedSample& sample = scores.sample;
  const std::vector<double> of_rule = scores_of(scores.scores, rule);
  const double sign = direction_sign(options.direction.prefers_lower());
  std::vector<double> logged = sample.outcome;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    logged[i] = sample.weight_of(i) * (logged[i] - sign * scores.costs(i, sample.arm[i]));
  }
  out.singles.resize(out.arms.size());
  const std::vector<double> weights_of_rule = find_weights(scores, rule);
  Comparison comparison(sample, of_rule, weights_of_rule);
  comparison.add(out.rule, "learnt rule", of_rule, weights_of_rule, rule);
  std::vector<double> weights_of_logged;
  weights_of_logged.reserve(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) weights_of_logged.push_back(sample.weight_of(i));
  comparison.add(out.logged, "logged", logged, weights_of_logged, sample.arm);
  comparison.add(out.best_single, "best single arm", scores_of(scores.scores, single),
                 find_weights(scores, single), single);
  for (std::size_t a = 0; a < out.arms.size(); ++a) {
    const std::vector<Arm> everyone(sample.size(), static_cast<Arm>(a));
    comparison.add(out.singles[a], fmt::format("always {}", printable(out.arms[a])),
                   scores_of(scores.scores, everyone), find_weights(scores, everyone), everyone);
    out.singles[a].within_budget = a == kControlArm || options.tree.budget >= 1;
  }
  out.logged.within_budget = out.logged.treated_fraction <= options.tree.budget;
  comparison.measure_errors(context, data, options);

  const bool rule_is_sound = add_warnings(scores, rule, "", options.level, out.warnings);
  for (std::size_t a = 0; a < out.arms.size(); ++a) {
    const std::vector<Arm> everyone(sample.size(), static_cast<Arm>(a));
    const bool is_sound =
        add_warnings(scores, everyone, out.singles[a].name + ": ", options.level, out.warnings);
    if (!is_sound) drop_errors(false, out.singles[a]);
  }
  // Judged by the arms that it assigns: an arm that is never chosen does not invalidate its
  // interval. The warnings are those of the single arms, already listed.
  std::vector<std::string> ignored;
  if (!add_warnings(scores, single, "", options.level, ignored)) {
    drop_errors(false, out.best_single);
  }
  if (!rule_is_sound) {
    drop_errors(false, out.rule);
    for (RuleValue* value : {&out.logged, &out.best_single}) drop_errors(true, *value);
    for (RuleValue& value : out.singles) drop_errors(true, value);
  }
  for (const auto* warnings : {&scores.propensity.warnings, &scores.outcome.warnings}) {
    for (const std::string& warning : *warnings) add_once(warning, out.warnings);
  }
  judge_gains(scores, rule, single, strength, options, out);
}

}  // namespace cone
