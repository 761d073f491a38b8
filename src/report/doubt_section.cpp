#include <map>
#include <vector>

#include <fmt/format.h>

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

/// What the answer's own estimator is warned about, one line per warning.
Html answer_warnings(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  if (!decision) return {};
  const std::string estimator = decision->text("estimator");
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> policies_of;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    for (const RecordView& e : policy.at("estimates").entries()) {
      if (e.text("estimator") != estimator) continue;
      for (const std::string& warning : e.at("warnings").texts()) {
        if (policies_of[warning].empty()) order.push_back(warning);
        policies_of[warning].push_back(policy.text("name"));
      }
    }
  }
  Html lines;
  for (const std::string& warning : order) {
    lines += html("<li class=\"caution\"><b>Warning</b> ({}): {}\n",
                  join_names(policies_of[warning]), warning);
  }
  return lines;
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
  for (const RecordView& warning : diagnostics->entries("warnings")) {
    lines += html("<li class=\"note\"><b>Note</b>: {}\n", warning.text());
  }
  return lines;
}

}  // namespace

Html doubt_section(const RecordView& evaluation) {
  Html lines = run_warnings(evaluation);
  lines += answer_warnings(evaluation);
  if (const auto diagnostics = evaluation.find("diagnostics")) {
    for (const bool is_caution : {true, false}) {
      for (const RecordView& verdict : diagnostics->entries("verdicts")) {
        if ((verdict.text("verdict") == "caution") != is_caution) continue;
        lines += is_caution ? html("<li class=\"caution\"><b>Caution, {}</b>: {}\n",
                                   verdict.text("name"), verdict.text("sentence"))
                            : html("<li><b>Ok, {}</b>: {}\n", verdict.text("name"),
                                   verdict.text("sentence"));
      }
    }
  }
  if (lines.empty()) return {};
  return html(
      "<h2 id=\"doubts\">Why to believe it, and what to doubt</h2>\n"
      "<ul class=\"verdicts\">{}</ul>\n"
      "<p class=\"soft\">Intervals hold sampling error. What neither features nor network "
      "show is in none of them; robust intervals allow for as much of it as the network "
      "shows. A person's outcome is taken not to depend on what others get.</p>\n",
      lines);
}

}  // namespace cone::report
