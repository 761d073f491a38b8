#include "study/study_errors.hpp"

#include <limits>

#include "cone/settings.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

double error_of(const UnitRecord& record, std::string_view label) {
  if (record.status == UnitStatus::kFailed) return kNaN;
  const auto& value = record.result.at("values").at(std::string(label));
  const auto& truth = record.result.at("truth");
  return value.is_number() && truth.is_number() ? value.get<double>() - truth.get<double>() : kNaN;
}

}  // namespace

std::vector<Unit> setting_units(const StudySetting& setting, const StudyOptions& options,
                                std::span<const MethodGroup> groups, const ConeOptions& networks) {
  std::vector<Unit> units;
  for (int simulation = 0; simulation < options.simulations; ++simulation) {
    for (int run = 0; run < options.runs; ++run) {
      for (const MethodGroup& group : groups) {
        units.push_back(study_unit(setting, static_cast<std::uint64_t>(simulation),
                                   static_cast<std::uint64_t>(run), group, networks));
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
    for (int run = 0; run < options.runs; ++run) {
      for (const MethodGroup& group : groups) {
        const UnitRecord& record = records[next++];
        for (const StudyMethod& method : group.methods) {
          auto& by_simulation = errors[std::string(method.label)];
          by_simulation.resize(static_cast<std::size_t>(options.simulations));
          by_simulation[static_cast<std::size_t>(simulation)].push_back(
              error_of(record, method.label));
        }
      }
    }
  }
  return errors;
}

}  // namespace cone
