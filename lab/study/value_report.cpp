#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/value_study.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;
using Form = StudyColumn::Form;

/// Whether no row but the oracle has a smaller RMSE.
bool is_best(const ValueTable& table, const std::vector<ValueCell>& cells, std::size_t method) {
  const auto oracle = table.find_method(kOracleLabel);
  const double rmse = cells[method].errors.rmse;
  if (method == oracle || !std::isfinite(rmse)) return false;
  for (std::size_t other = 0; other < cells.size(); ++other) {
    if (other != oracle && cells[other].errors.rmse < rmse) return false;
  }
  return true;
}

/// Rows × settings for one policy.
ShownTable show_policy(const StudyTable& records, std::string_view policy, std::string_view what,
                       const std::string& column) {
  return show(records, {.title = fmt::format("{}: {}", policy, what),
                        .only = {{"policy", std::string(policy)}},
                        .keys = {"method"},
                        .across = "setting",
                        .shown = {{.column = column, .is_marked = column == "rmse"}}});
}

}  // namespace

StudyTable value_records(const ValueTable& table) {
  StudyTable out({{"policy"},
                  {"setting"},
                  {"method"},
                  {.name = "rmse", .form = Form::kAdaptive, .error = "rmse_error"},
                  {"rmse_error"},
                  {"mae"},
                  {"bias"},
                  {.name = "coverage", .form = Form::kPercent},
                  {"num_intervals"},
                  {"num_missing"},
                  {"errors"},
                  {.name = "rmse_over_reference", .form = Form::kFixed, .digits = 2}});
  const auto reference = table.find_method(table.reference);
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    for (std::size_t s = 0; s < table.settings.size(); ++s) {
      const std::vector<ValueCell>& cells = table.cells[s][p];
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const ErrorSummary& e = cells[m].errors;
        StudyValue ratio;
        if (reference) ratio = e.rmse / cells[*reference].errors.rmse;
        out.add({kStudyPolicies[p], table.settings[s], table.methods[m], e.rmse, e.rmse_error,
                 e.mae, e.bias, cells[m].interval.coverage(), cells[m].interval.num_intervals,
                 e.num_missing, cells[m].by_simulation, std::move(ratio)},
                is_best(table, cells, m) ? '*' : 0);
      }
    }
  }
  return out;
}

Json value_json(const ValueTable& table, const StudyTable& records, std::string_view schema) {
  Json json =
      study_json(fmt::format("{}/1", schema),
                 {{"simulations", table.simulations},
                  {"seed", table.seed},
                  {"reference", table.reference},
                  {"policies", records.nested({{"policy", "settings"}, {"setting", "methods"}})}});
  if (!table.decisions.empty()) {
    json["decisions"] = claim_records("setting", table.settings, table.decisions).list();
  }
  return json;
}

std::string value_lead(const ValueTable& table) {
  return fmt::format("{} simulations, all nodes, cross-fitted\n\n", table.simulations);
}

ShownTable show_rmse(const StudyTable& records, std::string_view policy) {
  return show_policy(records, policy,
                     "RMSE of the policy value ± standard error; the best is marked", "rmse");
}

StudyReport report_values(const ValueTable& table, std::string_view study) {
  StudyReport report{.lead = value_lead(table), .table = value_records(table), .run = table.run};
  for (const std::string_view policy : kStudyPolicies) {
    report.shown.push_back(show_rmse(report.table, policy));
    report.shown.push_back(
        show_policy(report.table, policy, "coverage of the 95 % confidence intervals", "coverage"));
    if (!table.find_method(table.reference)) continue;
    report.shown.push_back(show_policy(
        report.table, policy, fmt::format("RMSE relative to the row \"{}\"", table.reference),
        "rmse_over_reference"));
  }
  if (!table.decisions.empty())
    report.shown.push_back(show_claims(table.settings, table.decisions));
  report.json = value_json(table, report.table, study);
  return report;
}

}  // namespace cone
