#include <fmt/format.h>

#include "study/coverage.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;
using Form = StudyColumn::Form;

constexpr std::string_view kByDependence = "by_dependence/";

StudyColumn width(const char* name, const char* title) {
  return {.name = name, .title = title, .form = Form::kFixed, .digits = 4};
}

StudyColumn share(std::string name, const char* title) {
  return {.name = std::move(name), .title = title, .form = Form::kPercent, .digits = 1};
}

/// Every world, policy and row but naive, whose RMSE is beside the others.
StudyTable coverage_records(const ValueTable& table) {
  std::vector<StudyColumn> columns = {{"world"},
                                      {"policy"},
                                      {"method"},
                                      {"simulations"},
                                      {"intervals"},
                                      share("interval", ""),
                                      share("sampling", ""),
                                      {"sensitivity_intervals"},
                                      share("sensitivity_interval", "sensitivity"),
                                      share("sensitivity_least", "lower limit"),
                                      width("half_width", "half-width"),
                                      width("sampling_half_width", "sampling half-width"),
                                      width("sensitivity_half_width", "sensitivity half-width"),
                                      width("bias", ""),
                                      width("rmse", "RMSE"),
                                      width("naive_rmse", "RMSE of naive")};
  std::vector<std::string_view> dependences;
  for (const auto& [dependence, name] : EnumNames<Dependence>::kNames) {
    if (dependence == Dependence::kLargest) continue;
    dependences.push_back(name);
    columns.push_back(share(std::string(kByDependence) + std::string(name), name.data()));
  }
  StudyTable out(std::move(columns));
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t p = 0; p < table.policies[s].size(); ++p) {
      const std::vector<ValueCell>& cells = table.cells[s][p];
      const std::size_t naive = table.find_method("naive").value();
      for (std::size_t m = 0; m < cells.size(); ++m) {
        if (m == naive) continue;
        const ValueCell& c = cells[m];
        const IntervalSummary& sensitivity = c.sensitivity;
        std::vector<StudyValue> row = {
            table.settings[s],
            table.policies[s][p],
            table.methods[m],
            c.num_simulations,
            c.interval.num_intervals,
            c.interval.coverage(),
            c.sampling.coverage(),
            sensitivity.num_intervals,
            sensitivity.coverage(),
            wilson_lower_limit(sensitivity.num_covering, sensitivity.num_intervals),
            c.interval.half_width,
            c.sampling.half_width,
            sensitivity.half_width,
            c.errors.bias,
            c.errors.rmse,
            cells[naive].errors.rmse};
        for (const std::string_view name : dependences) {
          StudyValue& value = row.emplace_back();
          for (const auto& [tried, coverage] : c.by_dependence) {
            if (tried == name) value = coverage;
          }
        }
        out.add(std::move(row));
      }
    }
  }
  return out;
}

/// One line per world, whose cells have all policies.
ShownTable show_row(const StudyTable& records, const std::string& method, std::string_view what,
                    const std::vector<std::string>& columns) {
  StudyView view{.title = fmt::format("{}: {}", method, what),
                 .only = {{"method", method}},
                 .keys = {"world", "simulations"}};
  for (const std::string& column : columns) view.shown.push_back({column});
  return show(records, view);
}

}  // namespace

StudyReport report_coverage(const CoverageTable& table) {
  const ValueTable& values = table.values;
  StudyReport report{.table = coverage_records(values), .run = values.run};
  std::vector<std::string> by_dependence;
  for (const auto& [dependence, name] : EnumNames<Dependence>::kNames) {
    if (dependence != Dependence::kLargest) {
      by_dependence.push_back(std::string(kByDependence) + std::string(name));
    }
  }
  by_dependence.emplace_back("sampling");
  for (const std::string& method : values.methods) {
    if (method == "naive") continue;
    report.shown.push_back(
        show_row(report.table, method,
                 "coverage of 95 % confidence and sensitivity intervals (with 95 % lower limit), "
                 "median half-widths; cells have the policies random-weights / treat-all / "
                 "treat-none, in blocks5 always:0 to always:4",
                 {"interval", "sampling", "sensitivity_interval", "sensitivity_least", "half_width",
                  "sampling_half_width", "sensitivity_half_width", "bias", "rmse", "naive_rmse"}));
    report.shown.push_back(
        show_row(report.table, method,
                 "coverage of value ± 1.96 standard errors by assumed dependence (--dependence); "
                 "sampling: the chosen one",
                 by_dependence));
  }
  report.shown.push_back(show_claims(values.settings, values.decisions));
  report.json = study_json("coverage/2", {{"seed", values.seed}});
  report.json["settings"] = report.table.nested({{"world", "policies"}, {"policy", "rows"}});
  const Json claims = claim_records("name", values.settings, values.decisions).list();
  for (std::size_t s = 0; s < values.settings.size(); ++s) {
    report.json["settings"][s]["hides_nothing"] = static_cast<bool>(table.is_unconfounded[s]);
    report.json["settings"][s].update(claims[s]);
  }
  return report;
}

}  // namespace cone
