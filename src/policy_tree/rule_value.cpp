#include "policy_tree/rule_value.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "estimate/significance.hpp"

namespace cone {
namespace {

std::pair<double, double> interval_around(double value, double error, double level) {
  const double half = two_sided_normal_quantile(level) * error;
  return {value - half, value + half};
}

std::vector<double> scores_of(const Matrix<double>& scores, std::span<const Arm> arms) {
  std::vector<double> out(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) out[i] = scores(i, arms[i]);
  return out;
}

double treated_share(std::span<const Arm> arms) {
  const auto treated =
      std::count_if(arms.begin(), arms.end(), [](Arm arm) { return arm != kControlArm; });
  return static_cast<double>(treated) / static_cast<double>(arms.size());
}

/// What a way to decide makes of every node, against what the rule makes of it.
RuleValue compare(std::string name, std::span<const double> values, std::span<const double> rule,
                  std::span<const Arm> arms, double level) {
  RuleValue out;
  out.name = std::move(name);
  out.value = mean(values);
  out.standard_error = standard_error(values);
  out.interval = interval_around(out.value, out.standard_error, level);
  std::vector<double> gains(values.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = rule[i] - values[i];
  out.gain = mean(gains);
  out.gain_error = standard_error(gains);
  out.gain_interval = interval_around(out.gain, out.gain_error, level);
  out.treated_fraction = treated_share(arms);
  return out;
}

/// Where the log lacks part of what is done there is no honest standard error.
void drop_errors(bool of_rule, RuleValue& out) {
  constexpr std::pair kNone{kNaN, kNaN};
  if (!of_rule) {
    out.standard_error = kNaN;
    out.interval = kNone;
  }
  out.gain_error = kNaN;
  out.gain_interval = kNone;
}

void add_once(std::string warning, std::vector<std::string>& warnings) {
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

/// The doubts that an evaluation of these decisions has; whether it has a standard error.
bool doubt(const RuleScores& scores, std::span<const Arm> arms, const std::string& prefix,
           double level, std::vector<std::string>& warnings) {
  const EstimatorInfo estimator{"dr", Method::kDoublyRobust, LearnerId::kRidge,
                                LearnerId::kLogistic, ""};
  Matrix<double> policy(arms.size(), scores.sample.num_arms());
  for (std::size_t i = 0; i < arms.size(); ++i) policy(i, arms[i]) = 1;
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

RuleVerdict judge(const LearntPolicy& policy) {
  if (policy.tree.nodes.size() == 1) return RuleVerdict::kSingleArm;
  bool beats_all = true;
  for (const RuleValue& single : policy.singles) {
    if (!single.within_budget) continue;
    if (single.gain_interval.second < 0) return RuleVerdict::kWorse;
    beats_all = beats_all && single.gain_interval.first > 0;
  }
  return beats_all ? RuleVerdict::kBetter : RuleVerdict::kUnclear;
}

}  // namespace

void value_rule(const RuleScores& scores, std::span<const Arm> rule, std::span<const Arm> single,
                const LearnPolicyOptions& options, LearntPolicy& out) {
  const double level = options.level;
  const LoggedSample& sample = scores.sample;
  const std::vector<double> of_rule = scores_of(scores.scores, rule);
  out.rule = compare("learnt rule", of_rule, of_rule, rule, level);
  const bool rule_is_sound = doubt(scores, rule, "", level, out.warnings);

  std::vector<double> done = sample.outcome;
  for (std::size_t i = 0; i < done.size(); ++i) done[i] -= out.costs[sample.arm[i]];
  out.done = compare("what was done", done, of_rule, sample.arm, level);
  out.best_single =
      compare("best single arm", scores_of(scores.scores, single), of_rule, single, level);
  bool singles_are_sound = true;
  for (std::size_t a = 0; a < out.arms.size(); ++a) {
    const std::vector<Arm> everyone(sample.size(), static_cast<Arm>(a));
    const std::string name = fmt::format("always {}", printable(out.arms[a]));
    RuleValue& value = out.singles.emplace_back(
        compare(name, scores_of(scores.scores, everyone), of_rule, everyone, level));
    value.within_budget = a == kControlArm || options.tree.budget >= 1;
    const bool is_sound = doubt(scores, everyone, name + ": ", level, out.warnings);
    if (!is_sound) drop_errors(false, value);
    singles_are_sound = singles_are_sound && is_sound;
  }
  if (!singles_are_sound) drop_errors(false, out.best_single);
  if (!rule_is_sound) {
    out.rule.standard_error = kNaN;
    out.rule.interval = {kNaN, kNaN};
    for (RuleValue* value : {&out.rule, &out.done, &out.best_single}) drop_errors(true, *value);
    for (RuleValue& value : out.singles) drop_errors(true, value);
  }
  for (const auto* warnings : {&scores.propensity.warnings, &scores.outcome.warnings}) {
    for (const std::string& warning : *warnings) add_once(warning, out.warnings);
  }
  out.verdict = judge(out);
}

}  // namespace cone
