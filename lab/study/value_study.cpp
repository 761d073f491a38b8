#include "study/value_study.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::array<std::string_view, 10> kValueRows = {
    "naive", "dm_ridge", "cohesion_dm", "spectral_dm",   "spectral_dr",
    "cone",  "cone_dm",  "network_dm",  "network_joint", "network_dr"};
constexpr double kTwoSided = 1.959963984540054;

double share_of(std::size_t hits, std::size_t trials) {
  return trials == 0 ? kNaN : static_cast<double>(hits) / static_cast<double>(trials);
}

/// Errors and intervals of one row, simulation by simulation.
class CellBuilder {
 public:
  void add(const UnitRecord& record, const std::string& policy, const std::string& label) {
    if (record.status == UnitStatus::kFailed) {
      cell_.by_simulation.push_back(kNaN);
      return;
    }
    ++cell_.num_simulations;
    const auto& part = record.result.at(policy);
    const auto& row = part.at("rows").at(label);
    const double truth = number_or_nan(part.at("truth"));
    const double error = number_or_nan(row.at("value")) - truth;
    cell_.by_simulation.push_back(error);
    const auto count = [&](const char* name, IntervalSummary& summary, auto& half_widths) {
      const double low = number_or_nan(row.at(name).at(0));
      const double high = number_or_nan(row.at(name).at(1));
      if (!std::isfinite(low) || !std::isfinite(high)) return;
      ++summary.num_intervals;
      summary.num_covering += low <= truth && truth <= high ? 1 : 0;
      half_widths.push_back(0.5 * (high - low));
    };
    count("interval", cell_.interval, half_widths_);
    count("sampling_interval", cell_.sampling, sampling_half_widths_);
    count("sensitivity_interval", cell_.sensitivity, sensitivity_half_widths_);
    for (const auto& [name, standard_error] : row.at("standard_errors").items()) {
      const double e = number_or_nan(standard_error);
      if (!std::isfinite(e)) continue;
      auto tally = std::ranges::find(dependence_, name, &Tally::name);
      if (tally == dependence_.end()) tally = dependence_.insert(tally, Tally{name});
      ++tally->trials;
      tally->hits += std::abs(error) <= kTwoSided * e ? 1 : 0;
    }
  }

  ValueCell finish() && {
    std::vector<std::vector<double>> errors;
    for (const double error : cell_.by_simulation) errors.push_back({error});
    cell_.errors = summarise_errors(errors);
    cell_.interval.half_width = median(std::move(half_widths_));
    cell_.sampling.half_width = median(std::move(sampling_half_widths_));
    cell_.sensitivity.half_width = median(std::move(sensitivity_half_widths_));
    for (const Tally& tally : dependence_) {
      cell_.by_dependence.emplace_back(tally.name, share_of(tally.hits, tally.trials));
    }
    return std::move(cell_);
  }

 private:
  struct Tally {
    std::string name;
    std::size_t hits = 0;
    std::size_t trials = 0;
  };
  ValueCell cell_;
  std::vector<double> half_widths_, sampling_half_widths_, sensitivity_half_widths_;
  std::vector<Tally> dependence_;
};

}  // namespace

double IntervalSummary::coverage() const { return share_of(num_covering, num_intervals); }

std::optional<std::size_t> ValueTable::find_method(std::string_view label) const {
  const auto found = std::ranges::find(methods, label);
  if (found == methods.end()) return std::nullopt;
  return static_cast<std::size_t>(found - methods.begin());
}

ValueTable run_value_study(const Context& context, const ValuePlan& plan, const UnitWork& work) {
  std::vector<Unit> units;
  std::vector<std::size_t> first;  // unit of every setting
  for (std::size_t s = 0; s < plan.settings.size(); ++s) {
    first.push_back(units.size());
    const int count =
        plan.more_simulations.empty() ? plan.simulations : plan.more_simulations.at(s);
    for (int simulation = 0; simulation < count; ++simulation) {
      for (const ValueGroup& group : plan.groups) {
        units.push_back(
            value_unit(plan.settings[s], static_cast<std::uint64_t>(simulation), group));
      }
    }
  }
  first.push_back(units.size());
  const UnitsReport report = run_units(context, work, units, plan.phase);

  ValueTable table{
      .simulations = plan.simulations, .seed = context.seed(), .reference = plan.reference};
  note_units(units, report, table.run);
  for (const ValueGroup& group : plan.groups) {
    for (const ValueGroup::Row& row : group.rows) table.methods.push_back(row.label);
  }
  const auto deciding = std::ranges::find_if(plan.groups, &ValueGroup::decides);
  const std::size_t num_groups = plan.groups.size();
  for (std::size_t s = 0; s < plan.settings.size(); ++s) {
    table.settings.push_back(plan.settings[s].name);
    table.policies.push_back(setting_policies(plan.settings[s]));
    // Records of one group are num_groups apart.
    const auto for_each_record = [&](std::size_t group, const auto& take) {
      for (std::size_t u = first[s] + group; u < first[s + 1]; u += num_groups) {
        take(report.records[u]);
      }
    };
    auto& by_policy = table.cells.emplace_back();
    for (const std::string& policy : table.policies.back()) {
      auto& by_method = by_policy.emplace_back();
      for (std::size_t g = 0; g < num_groups; ++g) {
        for (const ValueGroup::Row& row : plan.groups[g].rows) {
          CellBuilder cell;
          for_each_record(g, [&](const auto& record) { cell.add(record, policy, row.label); });
          by_method.push_back(std::move(cell).finish());
        }
      }
    }
    if (deciding == plan.groups.end()) continue;
    DecisionClaims& claims = table.decisions.emplace_back();
    for_each_record(static_cast<std::size_t>(deciding - plan.groups.begin()),
                    [&](const UnitRecord& record) {
                      if (record.status == UnitStatus::kFailed) return;
                      claims.add(record.result.at("decision"));
                    });
  }
  return table;
}

ValueTable reproduce_value(const Context& context, std::span<const StudyNetwork> networks,
                           int simulations, std::span<const std::string> estimators,
                           const UnitWork& work) {
  ValuePlan plan{.settings = study_settings(networks, Normalisation::kNone, context.seed()),
                 .groups = group_estimators(choose_estimators(estimators, kValueRows)),
                 .simulations = simulations,
                 .phase = "values",
                 .reference = std::string(kOracleLabel)};
  plan.groups.push_back(oracle_group());
  return run_value_study(context, plan, work);
}

}  // namespace cone
