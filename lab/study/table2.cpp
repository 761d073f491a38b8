#include "study/table2.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cone/json.hpp"

#include "estimate/significance.hpp"
#include "study/study_errors.hpp"

namespace cone {
namespace {

// Guo, Li and Liu (2020), Counterfactual Evaluation of Treatment Assignment Functions with
// Networked Observational Data, SDM, Table 2.
struct PaperTable2Row {
  std::string_view method;
  std::array<PaperFigure, 4> figures;  // in the order of kSettings
};

constexpr std::array<std::string_view, 4> kSettings = {"BlogCatalog, kappa2 = 1",
                                                       "BlogCatalog, kappa2 = 2",
                                                       "Flickr, kappa2 = 1", "Flickr, kappa2 = 2"};

constexpr PaperTable2Row kRows[] = {
    {"cone", {{{0.034, 0.026}, {0.037, 0.027}, {0.014, 0.011}, {0.014, 0.012}}}},
    {"okb", {{{0.141, 0.135}, {0.150, 0.143}, {0.073, 0.063}, {0.093, 0.083}}}},
    {"ips", {{{0.042, 0.039}, {0.089, 0.074}, {0.018, 0.016}, {0.030, 0.027}}}},
    {"snips", {{{0.042, 0.038}, {0.089, 0.074}, {0.018, 0.017}, {0.029, 0.027}}}},
    {"dm_nn", {{{0.229, 0.229}, {0.241, 0.239}, {0.099, 0.097}, {0.117, 0.114}}}},
    {"dm_ols1", {{{0.302, 0.301}, {0.347, 0.346}, {0.144, 0.143}, {0.168, 0.167}}}},
    {"dm_ols2", {{{0.275, 0.274}, {0.308, 0.304}, {0.139, 0.139}, {0.162, 0.161}}}},
    {"dr_nn", {{{0.041, 0.034}, {0.071, 0.060}, {0.019, 0.018}, {0.028, 0.026}}}},
    {"dr_ols1", {{{0.042, 0.039}, {0.089, 0.074}, {0.018, 0.016}, {0.030, 0.027}}}},
    {"dr_ols2", {{{0.047, 0.041}, {0.090, 0.078}, {0.019, 0.017}, {0.031, 0.028}}}},
};

/// The published figure for one of our methods, if any.
std::optional<PaperFigure> paper_table2(std::string_view method, std::string_view setting) {
  for (const PaperTable2Row& row : kRows) {
    if (row.method != method) continue;
    for (std::size_t s = 0; s < kSettings.size(); ++s) {
      if (kSettings[s] == setting) return row.figures[s];
    }
  }
  return std::nullopt;
}

/// The paper's methods in its order, then ours in that of the groups; those of `estimators` if
/// there are any.
std::vector<std::string> list_methods(std::span<const MethodGroup> groups,
                                      std::span<const std::string> estimators) {
  const std::vector<std::string> paper = {"cone",    "okb",     "ips",   "snips",   "dm_nn",
                                          "dm_ols1", "dm_ols2", "dr_nn", "dr_ols1", "dr_ols2"};
  std::vector<std::string> chosen;
  for (const MethodGroup& group : groups) {
    for (const StudyMethod& method : group.methods) {
      if (estimators.empty() || std::ranges::find(estimators, method.estimator) != estimators.end())
        chosen.emplace_back(method.label);
    }
  }
  std::ranges::stable_sort(chosen, {}, [&](const std::string& label) {
    return std::ranges::find(paper, label) - paper.begin();
  });
  return chosen;
}

/// Over the simulations that both have: all, unless units failed.
std::optional<double> p_less(const std::vector<std::vector<double>>& a,
                             const std::vector<std::vector<double>>& b) {
  std::vector<double> of_a;
  std::vector<double> of_b;
  for (std::size_t s = 0; s < a.size(); ++s) {
    const std::vector<double> mean_a = absolute_errors({a[s]});
    const std::vector<double> mean_b = absolute_errors({b[s]});
    if (mean_a.empty() || mean_b.empty()) continue;
    of_a.push_back(mean_a[0]);
    of_b.push_back(mean_b[0]);
  }
  if (of_a.size() < 2) return std::nullopt;
  return paired_t_test_less(of_a, of_b).p;
}

void add_setting(const StudySetting& setting, const MethodErrors& errors, Table2& table) {
  table.settings.push_back(setting.name);
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    const std::string& method = table.methods[m];
    Table2Cell cell{.ours = summarise_errors(errors.at(method)),
                    .paper = paper_table2(method, setting.name)};
    const auto compare_with = [&](std::string_view other) -> std::optional<double> {
      const auto found = errors.find(other);
      if (method == other || found == errors.end()) return std::nullopt;
      return p_less(found->second, errors.at(method));
    };
    cell.p_cone_better = compare_with("cone");
    cell.p_network_better = compare_with("network_dm");
    table.cells[m].push_back(cell);
  }
}

}  // namespace

Table2 reproduce_table2(const Context& context, std::span<const StudyNetwork> networks,
                        const StudyOptions& options, std::span<const std::string> estimators,
                        const UnitWork& work) {
  validate(options);
  const std::vector<MethodGroup> groups = choose_groups(estimators);
  const bool has_cone = std::ranges::find(groups, kConeGroup, &MethodGroup::name) != groups.end();
  const std::vector<StudySetting> settings =
      study_settings(networks, options.normalisation, context.seed());
  Table2 table{
      .methods = list_methods(groups, estimators), .study = options, .seed = context.seed()};
  table.cells.resize(table.methods.size());

  std::vector<Unit> units;
  for (const StudySetting& setting : settings) {
    ConeOptions tuned;
    if (has_cone) {
      tuned = tune_setting(context, setting, options, work, table.run.failures);
      table.options.push_back(tuned);
    }
    for (Unit& unit : setting_units(setting, options, groups, tuned)) {
      units.push_back(std::move(unit));
    }
  }
  const UnitsReport report = run_units(context, work, units, "table 2");
  note_units(units, report, table.run);
  const std::size_t per_setting = units.size() / settings.size();
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const auto records = std::span(report.records).subspan(s * per_setting, per_setting);
    add_setting(settings[s], setting_errors(options, groups, records), table);
  }
  return table;
}

StudyReport report_table2(const Table2& table) {
  using Form = StudyColumn::Form;
  constexpr double kLevel = 0.05;
  StudyReport report{.lead = fmt::format("{} simulations, {} runs each\n\n",
                                         table.study.simulations, table.study.runs),
                     .table = StudyTable({{"setting"},
                                          {"method"},
                                          {"rmse", "RMSE", Form::kFixed, 4, "rmse_error"},
                                          {"rmse_error"},
                                          {"mae", "MAE", Form::kFixed, 4, "mae_error"},
                                          {"mae_error"},
                                          {"median_error", "median", Form::kFixed, 4},
                                          {"bias", "", Form::kSigned, 4},
                                          {"num_missing"},
                                          {"p_cone_better", "p (cone better)", Form::kP},
                                          {"p_network_better", "p (network_dm better)", Form::kP},
                                          {"paper/rmse", "paper: RMSE / MAE", Form::kFixed, 3},
                                          {"paper/mae", "", Form::kFixed, 3}}),
                     .run = table.run};
  const auto optional = [](const auto& p) { return p ? StudyValue(*p) : StudyValue(); };
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const Table2Cell& cell = table.cells[m][s];
      const ErrorSummary& e = cell.ours;
      std::vector<StudyValue> row = {table.settings[s],
                                     table.methods[m],
                                     e.rmse,
                                     e.rmse_error,
                                     e.mae,
                                     e.mae_error,
                                     e.median_error,
                                     e.bias,
                                     e.num_missing,
                                     optional(cell.p_cone_better),
                                     optional(cell.p_network_better),
                                     {},
                                     {}};
      if (cell.paper) {
        row[row.size() - 2] = cell.paper->rmse;
        row.back() = cell.paper->mae;
      }
      report.table.add(std::move(row), cell.p_cone_better.value_or(1) < kLevel ? '*' : 0);
    }
  }
  for (const auto& [name, column] : {std::pair{"RMSE", "rmse"}, std::pair{"MAE", "mae"}}) {
    report.shown.push_back(show(
        report.table,
        {.title = fmt::format("{} ± standard error, that of the paper in brackets", name),
         .note = table.options.empty()
                     ? ""
                     : fmt::format("Marked: the mean absolute error of cone is smaller, p < {}.",
                                   kLevel),
         .keys = {"method"},
         .across = "setting",
         .shown = {{column, std::string("paper/") + column, " (", ")", /*is_marked=*/true}}}));
  }
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    StudyView view{.title = table.settings[s],
                   .only = {{"setting", table.settings[s]}},
                   .keys = {"method"},
                   .shown = {{"rmse"},
                             {"mae"},
                             {"median_error"},
                             {"bias"},
                             {"p_cone_better"},
                             {"p_network_better"},
                             {"paper/rmse", "paper/mae", " / "}}};
    if (!table.options.empty()) {
      const ConeOptions& chosen = table.options[s];
      view.note = fmt::format("Options of cone: layers {}, gamma {}, learning rate {}, dropout {}.",
                              chosen.layers, chosen.gamma, chosen.learning_rate, chosen.dropout);
    }
    report.shown.push_back(show(report.table, view));
  }
  report.json = study_json("table2/1", {{"study", option_json(table.study)}, {"seed", table.seed}});
  report.json["settings"] = report.table.nested({{"setting", "methods"}});
  for (std::size_t s = 0; s < table.options.size(); ++s) {
    report.json["settings"][s]["options"] = option_json(table.options[s]);
  }
  return report;
}

}  // namespace cone
