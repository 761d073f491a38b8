#include "policy_tree/rule_value.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/text.hpp"
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

/// The rule and its alternatives: score of every node under each, times its survey weight.
class Comparison {
 public:
  Comparison(const LoggedSample& sample, std::span<const double> rule)
      : sample_(sample), rule_(rule) {}

  void add(RuleValue& value, std::string name, std::span<const double> scores,
           std::span<const Arm> arms) {
    value.name = std::move(name);
    value.value = mean(scores);
    value.treated_fraction = treated_share(sample_, arms);
    std::vector<double> gains(scores.size());
    for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = rule_[i] - scores[i];
    value.gain = mean(gains);
    values_.push_back(&value);
    columns_.emplace_back(scores.begin(), scores.end());
    centre_weights(value.value, columns_.back());
    centre_weights(value.gain, gains);
    columns_.push_back(std::move(gains));
  }

  /// Standard errors and intervals of all values and gains at once.
  void measure_errors(const Context& context, const Dataset& data,
                      const LearnPolicyOptions& options) {
    const std::vector<MeanError> errors =
        measure_mean_errors(context, data, columns_, options.dependence, options.level);
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
  /// Turns w·x into w·(x − mean) + mean: the variation of the weights themselves is not an error.
  void centre_weights(double centre, std::vector<double>& column) const {
    if (sample_.weight.empty()) return;
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= (sample_.weight[i] - 1) * centre;
  }

  const LoggedSample& sample_;
  std::span<const double> rule_;
  std::vector<RuleValue*> values_;
  std::vector<std::vector<double>> columns_;  // per value: scores, then gains
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
  Matrix<double> policy(arms.size(), scores.sample.num_arms());
  for (std::size_t i = 0; i < arms.size(); ++i) policy(i, arms[i]) = scores.sample.weight_of(i);
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

RuleVerdict judge(const LearntPolicy& policy, bool lower_is_better) {
  if (policy.tree.nodes.size() == 1) return RuleVerdict::kSingleArm;
  bool beats_all = true;
  for (const RuleValue& single : policy.singles) {
    if (!single.within_budget) continue;
    const auto [low, high] = single.sampling_gain_interval;
    if (lower_is_better ? low > 0 : high < 0) return RuleVerdict::kWorse;
    beats_all = beats_all && (lower_is_better ? high < 0 : low > 0);
  }
  return beats_all ? RuleVerdict::kBetter : RuleVerdict::kUnclear;
}

}  // namespace

void value_rule(const Context& context, const Dataset& data, const RuleScores& scores,
                std::span<const Arm> rule, std::span<const Arm> single,
                const LearnPolicyOptions& options, LearntPolicy& out) {
  const LoggedSample& sample = scores.sample;
  const std::vector<double> of_rule = scores_of(scores.scores, rule);
  const double sign = direction_sign(options.direction.prefers_lower());
  std::vector<double> logged = sample.outcome;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    logged[i] = sample.weight_of(i) * (logged[i] - sign * scores.costs(i, sample.arm[i]));
  }
  out.singles.resize(out.arms.size());
  Comparison comparison(sample, of_rule);
  comparison.add(out.rule, "learnt rule", of_rule, rule);
  comparison.add(out.logged, "logged", logged, sample.arm);
  comparison.add(out.best_single, "best single arm", scores_of(scores.scores, single), single);
  for (std::size_t a = 0; a < out.arms.size(); ++a) {
    const std::vector<Arm> everyone(sample.size(), static_cast<Arm>(a));
    comparison.add(out.singles[a], fmt::format("always {}", printable(out.arms[a])),
                   scores_of(scores.scores, everyone), everyone);
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
  out.verdict = judge(out, options.direction.prefers_lower());
}

}  // namespace cone
