#include "study/value_study.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::array<std::string_view, 10> kValueRows = {
    "naive", "dm_ridge", "cohesion_dm", "spectral_dm",   "spectral_dr",
    "cone",  "cone_dm",  "network_dm",  "network_joint", "network_dr"};

double number_or_nan(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : kNaN;
}

/// Errors and intervals of one row, simulation by simulation.
class CellBuilder {
 public:
  void add(const UnitRecord& record, std::string_view policy, const std::string& label) {
    if (record.status == UnitStatus::kFailed) {
      cell_.by_simulation.push_back(kNaN);
      return;
    }
    const auto& part = record.result.at(std::string(policy));
    const auto& row = part.at("rows").at(label);
    const double truth = number_or_nan(part.at("truth"));
    cell_.by_simulation.push_back(number_or_nan(row.at("value")) - truth);
    const double low = number_or_nan(row.at("interval").at(0));
    const double high = number_or_nan(row.at("interval").at(1));
    if (!std::isfinite(low) || !std::isfinite(high)) return;
    ++cell_.num_intervals;
    num_covering_ += low <= truth && truth <= high ? 1 : 0;
  }

  ValueCell finish() && {
    std::vector<std::vector<double>> errors;
    for (const double error : cell_.by_simulation) errors.push_back({error});
    cell_.errors = summarise_errors(errors);
    cell_.coverage = cell_.num_intervals == 0 ? kNaN
                                              : static_cast<double>(num_covering_) /
                                                    static_cast<double>(cell_.num_intervals);
    return std::move(cell_);
  }

 private:
  ValueCell cell_;
  std::size_t num_covering_ = 0;
};

}  // namespace

std::optional<std::size_t> ValueTable::find_method(std::string_view label) const {
  const auto found = std::ranges::find(methods, label);
  if (found == methods.end()) return std::nullopt;
  return static_cast<std::size_t>(found - methods.begin());
}

ValueTable run_value_study(const Context& context, const ValuePlan& plan, const UnitWork& work) {
  std::vector<Unit> units;
  for (const ValueSetting& setting : plan.settings) {
    for (int simulation = 0; simulation < plan.simulations; ++simulation) {
      for (const ValueGroup& group : plan.groups) {
        units.push_back(value_unit(setting, static_cast<std::uint64_t>(simulation), group));
      }
    }
  }
  const UnitsReport report = run_units(context, work, units, plan.phase);

  ValueTable table{
      .simulations = plan.simulations, .seed = context.seed(), .reference = plan.reference};
  note_units(units, report, table.run);
  for (const ValueSetting& setting : plan.settings) table.settings.push_back(setting.name);
  for (const ValueGroup& group : plan.groups) {
    for (const ValueGroup::Row& row : group.rows) table.methods.push_back(row.label);
  }
  const std::size_t per_setting = static_cast<std::size_t>(plan.simulations) * plan.groups.size();
  for (const std::string_view policy : kStudyPolicies) {
    auto& methods = table.cells.emplace_back();
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      for (const ValueGroup::Row& row : plan.groups[g].rows) {
        auto& by_setting = methods.emplace_back();
        for (std::size_t s = 0; s < plan.settings.size(); ++s) {
          CellBuilder cell;
          for (std::size_t u = g; u < per_setting; u += plan.groups.size()) {
            cell.add(report.records[s * per_setting + u], policy, row.label);
          }
          by_setting.push_back(std::move(cell).finish());
        }
      }
    }
  }
  const auto deciding = std::ranges::find_if(plan.groups, &ValueGroup::decides);
  if (deciding == plan.groups.end()) return table;
  const auto g = static_cast<std::size_t>(deciding - plan.groups.begin());
  for (std::size_t s = 0; s < plan.settings.size(); ++s) {
    DecisionClaims& claims = table.decisions.emplace_back();
    for (std::size_t u = g; u < per_setting; u += plan.groups.size()) {
      const UnitRecord& record = report.records[s * per_setting + u];
      if (record.status != UnitStatus::kFailed) claims.add(record.result.at("decision"));
    }
  }
  return table;
}

std::vector<ValueSetting> value_settings(std::span<const StudyNetwork> networks,
                                         std::uint64_t seed) {
  std::vector<ValueSetting> settings;
  for (const StudySetting& setting : study_settings(networks, {}, seed)) {
    settings.push_back({.name = setting.name(),
                        .network = setting.network,
                        .outcome = {.kappa2 = setting.kappa2},
                        .seed = setting.seed});
  }
  return settings;
}

ValueTable reproduce_value(const Context& context, std::span<const StudyNetwork> networks,
                           int simulations, std::span<const std::string> estimators,
                           const UnitWork& work) {
  ValuePlan plan{.settings = value_settings(networks, context.seed()),
                 .simulations = simulations,
                 .phase = "values",
                 .reference = std::string(kOracleLabel)};
  plan.groups = group_estimators(choose_estimators(estimators, kValueRows));
  plan.groups.push_back(oracle_group());
  return run_value_study(context, plan, work);
}

}  // namespace cone
