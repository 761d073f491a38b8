#include <cmath>

#include <fmt/format.h>

#include "cone/base/text.hpp"
#include "cone/results/text_table.hpp"

namespace cone {
namespace {

std::string fixed(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string whole(const std::optional<double>& value) {
  return value && std::isfinite(*value)
             ? grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, *value))))
             : "-";
}

std::string weight(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.3g}", *value) : "-";
}

std::string interval_text(const Estimate& e) {
  if (!std::isfinite(e.interval.first)) return "-";
  return fmt::format("[{:.4f}, {:.4f}]", e.interval.first, e.interval.second);
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

std::string policy_text(const PolicyResult& policy) {
  using Align = TextTable::Align;
  const bool has_truth = policy.truth.has_value();
  std::string text = fmt::format("policy {}  (treats {:.1f} % of the nodes)",
                                 printable(policy.name), 100 * policy.treated_fraction);
  if (has_truth) text += fmt::format("   true utility {:.4f}", *policy.truth);
  text += "\n\n";

  const int percent = policy.estimates.empty()
                          ? 95
                          : static_cast<int>(std::lround(100 * policy.estimates[0].level));
  std::vector<TextTable::Column> columns = {{"estimator", Align::kLeft}, {"utility"}};
  if (has_truth) columns.push_back({"error"});
  columns.insert(columns.end(), {{"std. error"},
                                 {fmt::format("{} % interval", percent)},
                                 {"eff. nodes"},
                                 {"max weight"},
                                 {"clipped"},
                                 {"", Align::kLeft}});
  TextTable table(columns);
  for (const Estimate& e : policy.estimates) {
    std::vector<std::string> cells = {e.estimator, fixed(e.value, 4)};
    if (has_truth) cells.push_back(fmt::format("{:+.4f}", e.value - *policy.truth));
    cells.insert(cells.end(),
                 {fixed(e.standard_error, 4), interval_text(e), whole(e.effective_sample_size),
                  weight(e.max_weight), fmt::format("{:.1f} %", 100 * e.clipped_fraction),
                  e.status == EstimateStatus::kOk ? "" : "!"});
    table.add_row(std::move(cells));
  }
  return text + table.to_string() + warning_lines(policy);
}

}  // namespace

std::string evaluation_text(const EvaluationRecord& record) {
  std::string text;
  for (const PolicyResult& policy : record.policies) {
    if (!text.empty()) text += '\n';
    text += policy_text(policy);
  }
  for (const std::string& warning : record.diagnostics.warnings) text += "! " + warning + '\n';
  return text;
}

}  // namespace cone
