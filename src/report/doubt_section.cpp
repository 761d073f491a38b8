#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "report/number_text.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

/// "treat-all, uniform and 3 more"
std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 4;
  if (names.size() <= kMostNames) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNames);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - kMostNames);
}

/// Warnings of the decision's estimator, one line each; of warnings that differ in their numbers
/// only, the first.
Html answer_warnings(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  if (!decision) return {};
  const std::string estimator = decision->text("estimator");
  std::vector<std::pair<std::string, std::string>> order;  // without numbers, in full
  std::map<std::string, std::vector<std::string>> policies_of;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    for (const RecordView& e : policy.at("estimates").entries()) {
      if (e.text("estimator") != estimator) continue;
      for (const std::string& warning : e.at("warnings").texts()) {
        const std::string pattern = without_numbers(warning);
        if (policies_of[pattern].empty()) order.emplace_back(pattern, warning);
        policies_of[pattern].push_back(policy.text("name"));
      }
    }
  }
  Html lines;
  for (const auto& [pattern, warning] : order) {
    lines += html("<li class=\"caution\"><b>Warning</b> ({}): {}\n",
                  join_names(policies_of[pattern]), warning);
  }
  return lines;
}

/// Choices made by the loader; they may be among the warnings only.
std::set<std::string> notes_of(const RecordView& diagnostics) {
  std::set<std::string> notes;
  for (const RecordView& note : diagnostics.entries("notes")) notes.insert(note.text());
  return notes;
}

Html run_warnings(const RecordView& evaluation) {
  Html lines;
  if (const std::string status = evaluation.text("status"); status != "completed") {
    const std::vector<std::string> missing = evaluation.at("unfinished").texts();
    lines += html("<li class=\"caution\"><b>Warning</b>: the run was {}; not finished: {}\n",
                  status, missing.empty() ? "comparisons" : join_names(missing));
  }
  const auto diagnostics = evaluation.find("diagnostics");
  if (!diagnostics) return lines;
  const std::set<std::string> notes = notes_of(*diagnostics);
  for (const RecordView& warning : diagnostics->entries("warnings")) {
    if (notes.contains(warning.text())) continue;
    lines += html("<li class=\"caution\"><b>Warning</b>: {}\n", warning.text());
  }
  return lines;
}

/// The verdicts that are cautions, or those that are not.
Html verdict_lines(const RecordView& evaluation, bool cautions) {
  Html lines;
  const auto diagnostics = evaluation.find("diagnostics");
  if (!diagnostics) return lines;
  for (const RecordView& verdict : diagnostics->entries("verdicts")) {
    if ((verdict.text("verdict") == "caution") != cautions) continue;
    lines += cautions
                 ? html("<li class=\"caution\"><b>Caution, {}</b>: {}\n", verdict.text("name"),
                        verdict.text("sentence"))
                 : html("<li><b>Ok, {}</b>: {}\n", verdict.text("name"), verdict.text("sentence"));
  }
  return lines;
}

}  // namespace

Html warnings_box(const RecordView& evaluation) {
  Html lines = run_warnings(evaluation);
  lines += answer_warnings(evaluation);
  for (const RecordView& curve : evaluation.entries("budget_curves")) {
    for (const RecordView& warning : curve.entries("warnings")) {
      lines += html("<li class=\"caution\"><b>Warning</b> (budgets by {}): {}\n",
                    curve.text("ranking"), warning.text());
    }
  }
  lines += verdict_lines(evaluation, /*cautions=*/true);
  if (lines.empty()) return {};
  return html("<ul class=\"verdicts\" id=\"warnings\">{}</ul>\n", lines);
}

Html doubt_section(const RecordView& evaluation) {
  Html notes;
  if (const auto diagnostics = evaluation.find("diagnostics")) {
    for (const std::string& note : notes_of(*diagnostics)) {
      notes += html("<li class=\"note\"><b>Note</b>: {}\n", note);
    }
  }
  const Html passed = verdict_lines(evaluation, /*cautions=*/false);
  Html body;
  if (!notes.empty()) body += html("<ul class=\"verdicts\">{}</ul>\n", notes);
  if (!passed.empty()) {
    body += html(
        "<details><summary>Diagnostics without findings</summary>"
        "<ul class=\"verdicts\">{}</ul></details>\n",
        passed);
  }
  return html(
      "<h2 id=\"doubts\">Assumptions</h2>\n{}"
      "<p class=\"soft\">Confidence intervals cover sampling error and smoothing bias, and assume "
      "no unmeasured "
      "confounding; sensitivity intervals allow for an unmeasured confounder as strong as the "
      "network. A unit's outcome is assumed not to depend on the treatments of other units "
      "(SUTVA).</p>\n",
      body);
}

}  // namespace cone::report
