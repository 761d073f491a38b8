#include "study/study_errors.hpp"

#include <limits>

#include "cone/options.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// `run` of a record that has several.
double error_of(const UnitRecord& record, std::size_t run, std::string_view label) {
  if (record.status == UnitStatus::kFailed) return kNaN;
  const auto& result =
      record.result.contains("runs") ? record.result.at("runs").at(run) : record.result;
  const auto& value = result.at("values").at(std::string(label));
  const auto& truth = result.at("truth");
  return value.is_number() && truth.is_number() ? value.get<double>() - truth.get<double>() : kNaN;
}

}  // namespace

std::vector<Unit> setting_units(const StudySetting& setting, const StudyOptions& options,
                                std::span<const MethodGroup> groups, const ConeOptions& networks) {
  std::vector<Unit> units;
  for (int s = 0; s < options.simulations; ++s) {
    const auto simulation = static_cast<std::uint64_t>(s);
    for (const MethodGroup& group : groups) {
      if (group.fit_nodes == FitNodes::kAll) {
        units.push_back(simulation_unit(setting, simulation, options.runs, group));
        continue;
      }
      for (int run = 0; run < options.runs; ++run) {
        units.push_back(
            study_unit(setting, simulation, static_cast<std::uint64_t>(run), group, networks));
      }
    }
  }
  return units;
}

MethodErrors setting_errors(const StudyOptions& options, std::span<const MethodGroup> groups,
                            std::span<const UnitRecord> records) {
  MethodErrors errors;
  std::size_t next = 0;
  for (int simulation = 0; simulation < options.simulations; ++simulation) {
    for (const MethodGroup& group : groups) {
      for (int run = 0; run < options.runs; ++run) {
        if (run > 0 && group.fit_nodes != FitNodes::kAll) ++next;
        for (const StudyMethod& method : group.methods) {
          auto& by_simulation = errors[std::string(method.label)];
          by_simulation.resize(static_cast<std::size_t>(options.simulations));
          by_simulation[static_cast<std::size_t>(simulation)].push_back(
              error_of(records[next], static_cast<std::size_t>(run), method.label));
        }
      }
      ++next;
    }
  }
  return errors;
}

}  // namespace cone
