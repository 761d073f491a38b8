#include "study/figure2.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "study/selection_criteria.hpp"
#include "study/study_errors.hpp"

namespace cone {
namespace {

constexpr double kStrength = 2;  // κ2 of the paper's figure

std::vector<StudySetting> strong_settings(std::span<const StudyNetwork> networks,
                                          const StudyOptions& options, std::uint64_t seed) {
  std::vector<StudySetting> settings = study_settings(networks, options, seed);
  std::erase_if(settings, [](const StudySetting& setting) { return setting.kappa2 != kStrength; });
  return settings;
}

void add_failures(std::span<const Unit> units, const UnitsReport& report, Figure2& figure) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    figure.seconds += report.records[u].seconds;
    if (report.records[u].status != UnitStatus::kFailed) continue;
    const auto& options = units[u].identity.options;
    figure.failures.push_back(fmt::format(
        "{}, gamma {}, zeta {}, simulation {}, run {}: {}",
        options.at("network").get<std::string>(), options.at("evaluation").at("gamma").dump(),
        options.at("evaluation").at("zeta").dump(), options.at("simulation").get<std::uint64_t>(),
        options.at("run").get<std::uint64_t>(), report.records[u].error));
  }
}

std::size_t index_of(const std::vector<double>& values, double value) {
  const auto found = std::find(values.begin(), values.end(), value);
  require(found != values.end(), "figure 2: a default is not in the grid");
  return static_cast<std::size_t>(found - values.begin());
}

std::vector<std::span<const UnitRecord>> records_by_point(std::span<const UnitRecord> records,
                                                          std::size_t begin, std::size_t num_points,
                                                          std::size_t per_point) {
  std::vector<std::span<const UnitRecord>> points;
  for (std::size_t p = 0; p < num_points; ++p) {
    points.push_back(records.subspan(begin + p * per_point, per_point));
  }
  return points;
}

}  // namespace

Figure2 reproduce_figure2(const Context& context, std::span<const StudyNetwork> networks,
                          const StudyOptions& options, const UnitWork& work) {
  validate(options);
  const auto settings = strong_settings(networks, options, context.seed());
  const std::span<const MethodGroup> groups(&figure_methods(), 1);
  Figure2 figure{.values = {1e-6, 1e-4, 1e-2, 1, 100}, .study = options, .seed = context.seed()};

  std::vector<Unit> units;
  for (const StudySetting& setting : settings) {
    ConeOptions point = tune_setting(context, setting, options, work, figure.failures);
    figure.maps.push_back({.setting = setting.name(), .options = point});
    for (const double gamma : figure.values) {
      for (const double zeta : figure.values) {
        point.gamma = gamma;
        point.zeta = zeta;
        for (Unit& unit : setting_units(setting, options, groups, point)) {
          units.push_back(std::move(unit));
        }
      }
    }
  }
  const UnitsReport report = run_units(context, work, units, "figure 2");
  add_failures(units, report, figure);
  figure.num_units = units.size();
  figure.num_reused = report.num_reused;
  figure.remarks = report.remarks;

  const std::size_t num_points = figure.values.size() * figure.values.size();
  const std::size_t default_point =
      index_of(figure.values, ConeOptions{}.gamma) * figure.values.size() +
      index_of(figure.values, ConeOptions{}.zeta);
  const auto per_cell =
      static_cast<std::size_t>(options.simulations) * static_cast<std::size_t>(options.runs);
  std::size_t next = 0;
  for (ParameterMap& map : figure.maps) {
    map.selections = compare_criteria(
        options, records_by_point(report.records, next, num_points, per_cell), default_point);
    map.cells.resize(figure.values.size());
    for (auto& row : map.cells) {
      for (std::size_t k = 0; k < figure.values.size(); ++k, next += per_cell) {
        const auto records = std::span(report.records).subspan(next, per_cell);
        row.push_back(summarise_errors(setting_errors(options, groups, records).at("cone")));
      }
    }
  }
  return figure;
}

}  // namespace cone
