#include "study/table2.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "estimate/significance.hpp"
#include "study/paper_table2.hpp"
#include "study/study_errors.hpp"

namespace cone {
namespace {

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
  table.settings.push_back(setting.name());
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    const std::string& method = table.methods[m];
    Table2Cell cell{.ours = summarise_errors(errors.at(method)),
                    .paper = paper_table2(method, setting.name())};
    const auto compare_with = [&](std::string_view other) -> std::optional<double> {
      const auto found = errors.find(other);
      if (method == other || found == errors.end()) return std::nullopt;
      return p_less(found->second, errors.at(method));
    };
    cell.ours.p_cone_better = compare_with("cone");
    cell.ours.p_network_better = compare_with("network_dm");
    table.cells[m].push_back(cell);
  }
}

void add_costs(std::span<const Unit> units, const UnitsReport& report, Table2& table) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto& options = units[u].identity.options;
    const auto group = options.at("group").get<std::string>();
    auto entry = table.group_seconds.begin();
    while (entry != table.group_seconds.end() && entry->first != group) ++entry;
    if (entry == table.group_seconds.end()) {
      entry = table.group_seconds.insert(entry, {group, 0.0});
    }
    entry->second += report.records[u].seconds;
    if (report.records[u].status == UnitStatus::kFailed) {
      table.failures.push_back(
          fmt::format("{}, kappa2 = {}, simulation {}, run {}, {}: {}",
                      options.at("network").get<std::string>(), options.at("kappa2").get<double>(),
                      options.at("simulation").get<std::uint64_t>(),
                      options.at("run").get<std::uint64_t>(), group, report.records[u].error));
    }
  }
  table.num_units += units.size();
  table.num_reused += report.num_reused;
  table.remarks.insert(table.remarks.end(), report.remarks.begin(), report.remarks.end());
}

}  // namespace

Table2 reproduce_table2(const Context& context, std::span<const StudyNetwork> networks,
                        const StudyOptions& options, std::span<const std::string> estimators,
                        const UnitWork& work) {
  validate(options);
  const std::vector<MethodGroup> groups = choose_groups(estimators);
  const bool has_cone = std::ranges::find(groups, kConeGroup, &MethodGroup::name) != groups.end();
  const std::vector<StudySetting> settings = study_settings(networks, options, context.seed());
  Table2 table{
      .methods = list_methods(groups, estimators), .study = options, .seed = context.seed()};
  table.cells.resize(table.methods.size());

  std::vector<Unit> units;
  for (const StudySetting& setting : settings) {
    ConeOptions tuned;
    if (has_cone) {
      tuned = tune_setting(context, setting, options, work, table.failures);
      table.options.push_back(tuned);
    }
    for (Unit& unit : setting_units(setting, options, groups, tuned)) {
      units.push_back(std::move(unit));
    }
  }
  const UnitsReport report = run_units(context, work, units, "table 2");
  add_costs(units, report, table);
  const std::size_t per_setting = units.size() / settings.size();
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const auto records = std::span(report.records).subspan(s * per_setting, per_setting);
    add_setting(settings[s], setting_errors(options, groups, records), table);
  }
  return table;
}

}  // namespace cone
