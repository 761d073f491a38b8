#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/record.hpp"
#include "cone/text.hpp"

#include "base/readable_number.hpp"
#include "results/decision_text.hpp"
#include "results/target_notes.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

/// --target of the run. Records made by hand may have no options: then its default.
std::string target_of_run(const EvaluationRecord& record) {
  const std::string usual(enum_name(EstimatorOptions{}.target));
  return record.config.is_object() ? record.config.value("target", usual) : usual;
}

/// The standard error that the table shows: none where it is for another target than the run's.
double shown_error(const Estimate& e, std::string_view target) {
  return enum_name(e.target) == target ? e.standard_error
                                       : std::numeric_limits<double>::quiet_NaN();
}

/// Decimals that show three digits of the smallest standard error: more would be noise, fewer would
/// hide it. A standard error at rounding level beside the values is ignored. Without any, four
/// digits of the values.
int decimals_for(const PolicyResult& policy, std::string_view target) {
  double largest = 0;
  for (const Estimate& e : policy.estimates) {
    if (std::isfinite(e.value)) largest = std::max(largest, std::abs(e.value));
    const double error = shown_error(e, target);
    if (std::isfinite(error)) largest = std::max(largest, error);
  }
  double smallest = 0;
  for (const Estimate& e : policy.estimates) {
    const double error = shown_error(e, target);
    if (!std::isfinite(error) || error <= 1e-9 * largest) continue;
    smallest = smallest == 0 ? error : std::min(smallest, error);
  }
  if (smallest == 0) {
    return largest < 1e-12  // rounding of 0
               ? 4
               : std::max(3 - static_cast<int>(std::floor(std::log10(largest))), 4);
  }
  return std::max(2 - static_cast<int>(std::floor(std::log10(smallest))), 0);
}

std::string rounded(const std::optional<double>& value) {
  return value && std::isfinite(*value)
             ? grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, *value))))
             : "-";
}

std::string weight(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.3g}", *value) : "-";
}

std::string range_of_row(const std::pair<double, double>& range, int decimals) {
  if (!std::isfinite(range.first)) return "-";
  return fmt::format("[{}, {}]", fixed_number(range.first, decimals),
                     fixed_number(range.second, decimals));
}

std::string interval_text(const Estimate& e, std::string_view target, int decimals) {
  return enum_name(e.target) == target ? range_of_row(e.interval(), decimals) : "-";
}

std::string clipped(const Estimate& e) {
  return e.max_weight ? share_in_percent(e.clipped_fraction) : "-";
}

std::string mean_weight(const Estimate& e) {
  return e.mean_weight && std::isfinite(*e.mean_weight) ? fmt::format("{:#.3g}", *e.mean_weight)
                                                        : "-";
}

std::string percentage(const std::optional<double>& share) {
  return share ? share_in_percent(*share) : "-";
}

/// Why rows have no standard error though their estimators have one for another target.
std::string other_target_lines(const PolicyResult& policy, std::string_view target) {
  std::vector<std::string> names;
  for (const Estimate& e : policy.estimates) {
    if (enum_name(e.target) != target && std::isfinite(e.standard_error)) {
      names.push_back(e.estimator);
    }
  }
  std::string text;
  for (const std::string& note : other_target_notes(names, target)) text += "  " + note + '\n';
  return text;
}

/// Warnings of one policy, each once, with the estimators it applies to.
std::string warning_lines(const PolicyResult& policy) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Estimate& e : policy.estimates) {
    for (const std::string& warning : e.warnings) {
      auto line = lines.begin();
      while (line != lines.end() && line->first != warning) ++line;
      if (line == lines.end()) {
        lines.emplace_back(warning, e.estimator);
      } else {
        line->second += ", " + e.estimator;
      }
    }
  }
  std::string text;
  for (const auto& [warning, estimators] : lines) {
    text += fmt::format("  ! {} ({})\n", warning, estimators);
  }
  return text;
}

/// "treats 50.0 % of the nodes" where the arms are 0 and 1, else the share of every arm.
std::string describe_arms(const PolicyResult& policy, std::span<const ArmSummary> arms) {
  const bool plain = arms.size() == 2 && arms[0].label == "0" && arms[1].label == "1";
  if (plain || arms.size() != policy.arm_fractions.size()) {
    return fmt::format("treats {} of the nodes", share_in_percent(policy.treated_fraction));
  }
  std::vector<std::string> shares;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    shares.push_back(
        fmt::format("{} {}", printable(arms[a].label), share_in_percent(policy.arm_fractions[a])));
  }
  return fmt::format("{}", fmt::join(shares, ", "));
}

std::string policy_text(const PolicyResult& policy, std::span<const ArmSummary> arms,
                        std::string_view target) {
  using Align = TextTable::Align;
  const bool has_truth = policy.truth.has_value();
  std::string text =
      fmt::format("policy {}  ({})", printable(policy.name), describe_arms(policy, arms));
  const int decimals = decimals_for(policy, target);
  if (has_truth) text += fmt::format("   true value {}", fixed_number(*policy.truth, decimals));
  text += "\n\n";

  const double level = policy.estimates.empty() ? 0.95 : policy.estimates[0].level;
  std::vector<TextTable::Column> columns = {{"estimator", Align::kLeft}, {"value"}};
  if (has_truth) columns.push_back({"error"});
  columns.insert(columns.end(), {{"std. error"}, {sentence("{:g} % CI", 100 * level)}});
  // A truth is that of the sample.
  const bool shows_sample = has_truth && target != enum_name(Target::kSample) &&
                            std::ranges::any_of(policy.estimates, [](const Estimate& e) {
                              return std::isfinite(e.sample_sampling_interval.first);
                            });
  if (shows_sample) columns.push_back({"for the sample"});
  columns.insert(
      columns.end(),
      {{"ESS"}, {"max weight"}, {"clipped"}, {"mean weight"}, {"off support"}, {"", Align::kLeft}});
  TextTable table(columns);
  for (const Estimate& e : policy.estimates) {
    std::vector<std::string> cells = {e.estimator, fixed_number(e.value, decimals)};
    if (has_truth) cells.push_back(fixed_number(e.value - *policy.truth, decimals, Sign::kAlways));
    cells.insert(cells.end(), {fixed_number(shown_error(e, target), decimals),
                               interval_text(e, target, decimals)});
    if (shows_sample) cells.push_back(range_of_row(e.sample_interval(), decimals));
    cells.insert(cells.end(), {rounded(e.effective_sample_size), weight(e.max_weight), clipped(e),
                               mean_weight(e), percentage(e.off_support_fraction),
                               e.status == EstimateStatus::kOk ? "" : "!"});
    table.add_row(std::move(cells));
  }
  return text + table.to_string() + other_target_lines(policy, target) + warning_lines(policy);
}

/// The estimand of the tables' standard errors, where they show any, and what these leave out.
std::string target_line(const EvaluationRecord& record, std::string_view target) {
  const auto has_error = [&](const Estimate& e) { return std::isfinite(shown_error(e, target)); };
  const bool has_errors = std::ranges::any_of(record.policies, [&](const PolicyResult& policy) {
    return std::ranges::any_of(policy.estimates, has_error);
  });
  if (!has_errors) return "";
  const bool is_split = record.config.is_object() && record.config.value("protocol", "") == "split";
  return fmt::format(
      "\nStandard errors and intervals are for the {}. Intervals cover sampling error{}{}; the "
      "bias "
      "of unmeasured confounding may be larger.\n",
      target, is_split ? "" : " and smoothing bias",
      record.diagnostics.joint_model.empty()
          ? ""
          : ", those of network_dm also unmeasured confounding that selects units as the predicted "
            "outcome does (joint model)");
}

/// How much the seed alone moves the figures of the decision.
std::string repeats_line(const EvaluationRecord& record) {
  if (record.repeats == 1) return "";
  double largest = 0;
  for (const PolicyResult& policy : record.policies) {
    for (const Estimate& e : policy.estimates) {
      const bool is_shown = !record.decision || e.estimator == record.decision->estimator;
      if (is_shown && e.seed_sd && *e.seed_sd > largest) largest = *e.seed_sd;
    }
  }
  return sentence(
      "Medians over {} repeats of cross-fitting; the largest standard deviation of a value across "
      "seeds is {:.2g}, and intervals allow for it.\n",
      record.repeats, largest);
}

/// Warnings of the estimator that the decision uses: each once, with the policies it applies to.
/// Of warnings that differ in their numbers only, the first is shown.
std::string headline_warnings(const EvaluationRecord& record) {
  struct Group {
    std::string pattern, warning;
    std::vector<std::string> same, alike;  // policies with these numbers, and with other numbers
  };
  std::vector<Group> groups;
  for (const PolicyResult& policy : record.policies) {
    for (const Estimate& e : policy.estimates) {
      if (e.estimator != record.decision->estimator) continue;
      for (const std::string& warning : e.warnings) {
        const std::string pattern = without_numbers(warning);
        auto group = std::ranges::find(groups, pattern, &Group::pattern);
        if (group == groups.end()) group = groups.insert(group, Group{pattern, warning, {}, {}});
        (warning == group->warning ? group->same : group->alike).push_back(printable(policy.name));
      }
    }
  }
  std::string text;
  for (const Group& group : groups) {
    text += fmt::format("! {}: {}{}\n", fmt::join(group.same, ", "), group.warning,
                        group.alike.empty() ? ""
                                            : fmt::format(" (similarly, with other numbers: {})",
                                                          fmt::join(group.alike, ", ")));
  }
  return text;
}

/// An interrupted run answers with the estimators that were finished, not with those requested.
std::string unfinished_line(const EvaluationRecord& record) {
  if (record.unfinished.empty()) return "";
  return fmt::format(
      "! Interrupted: {} not finished. The results below are those of the other estimators.\n\n",
      fmt::join(record.unfinished, ", "));
}

/// One line per diagnostic: name, verdict and finding. Empty without diagnostics.
std::string verdicts_text(const Diagnostics& diagnostics) {
  if (diagnostics.verdicts.empty()) return "";
  std::size_t width = 0;
  for (const NamedVerdict& v : diagnostics.verdicts) width = std::max(width, v.name.size());
  std::string text = "\ndiagnostics\n\n";
  for (const NamedVerdict& v : diagnostics.verdicts) {
    text += fmt::format("  {:<{}}  {:<7}  {}\n", v.name, width,
                        v.verdict.is_caution ? "caution" : "ok", v.verdict.sentence);
  }
  return text;
}

/// Cautions that no warning of an estimate repeats, as warning lines.
std::string caution_lines(const Diagnostics& diagnostics) {
  std::string text;
  for (const NamedVerdict& v : diagnostics.verdicts) {
    if (v.verdict.is_caution && v.is_news) text += fmt::format("! {}\n", v.verdict.sentence);
  }
  return text;
}

}  // namespace

std::string evaluation_text(const EvaluationRecord& record, bool details) {
  std::string text = unfinished_line(record);
  if (record.decision) text += decision_text(*record.decision);
  for (const BudgetCurve& curve : record.budget_curves) text += '\n' + budget_curve_text(curve);
  text += repeats_line(record);
  const bool shows_tables = details || !record.decision;
  const std::string target = target_of_run(record);
  if (shows_tables && record.decision && !record.decision->costs.empty()) {
    text += "\nThe tables below are before costs.\n";
  }
  for (const PolicyResult& policy : record.policies) {
    if (!shows_tables) break;
    if (!text.empty()) text += '\n';
    text += policy_text(policy, record.data.arms, target);
  }
  if (!shows_tables) text += headline_warnings(record);
  if (shows_tables) text += target_line(record, target);
  text += shows_tables ? verdicts_text(record.diagnostics) : caution_lines(record.diagnostics);
  for (const std::string& warning : record.diagnostics.warnings) text += "! " + warning + '\n';
  return text;
}

}  // namespace cone
