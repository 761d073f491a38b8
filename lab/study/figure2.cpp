#include "study/figure2.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "study/study_errors.hpp"

namespace cone {
namespace {

constexpr double kStrength = 2;  // κ2 of the paper's figure

std::vector<StudySetting> strong_settings(std::span<const StudyNetwork> networks,
                                          const StudyOptions& options, std::uint64_t seed) {
  std::vector<StudySetting> settings = study_settings(networks, options.normalisation, seed);
  std::erase_if(settings,
                [](const StudySetting& setting) { return setting.outcome.kappa2 != kStrength; });
  return settings;
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

double number_at(const UnitRecord& record, const char* part, const char* name) {
  if (record.status == UnitStatus::kFailed) return kNaN;
  return number_or_nan(record.result.at(part).at(name));
}

double error_of_cone(const UnitRecord& record) {
  if (record.status == UnitStatus::kFailed) return kNaN;
  return number_at(record, "values", "cone") - number_or_nan(record.result.at("truth"));
}

struct Criterion {
  const char* name;
  std::function<double(const UnitRecord&)> value;
};

std::vector<Criterion> criteria() {
  const auto outcome = [](const UnitRecord& record) {
    return number_at(record, "training", "outcome_error");
  };
  const auto propensity = [](const UnitRecord& record) {
    return number_at(record, "training", "propensity_loss");
  };
  return {{"outcome error + propensity loss (cone tune)",
           [=](const UnitRecord& record) { return outcome(record) + propensity(record); }},
          {"outcome error alone", outcome},
          {"propensity loss alone", propensity},
          {"size of the correction",
           [](const UnitRecord& record) {
             return std::abs(number_at(record, "values", "cone") -
                             number_at(record, "values", "cone_dm"));
           }},
          {"absolute error (needs the truth)",
           [](const UnitRecord& record) { return std::abs(error_of_cone(record)); }}};
}

/// The point with the least finite value; the first one if there is none.
std::size_t best_point(std::span<const std::span<const UnitRecord>> records, std::size_t unit,
                       const Criterion& criterion) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t point = 0; point < records.size(); ++point) {
    const double value = criterion.value(records[point][unit]);
    if (!(value < least)) continue;
    least = value;
    best = point;
  }
  return best;
}

/// Compares model selection criteria: for every simulation and run, takes the grid point with the
/// least value of a criterion and summarises the errors of `cone` there. `records[point][k]` is
/// unit k (by simulation, then run) of one point.
std::vector<SelectionResult> compare_criteria(const StudyOptions& options,
                                              std::span<const std::span<const UnitRecord>> records,
                                              std::size_t default_point) {
  const auto summarise = [&](const char* name, const auto& point_of) {
    std::vector<std::vector<double>> errors(static_cast<std::size_t>(options.simulations));
    std::size_t unit = 0;
    for (std::vector<double>& runs : errors) {
      for (int run = 0; run < options.runs; ++run, ++unit) {
        runs.push_back(error_of_cone(records[point_of(unit)][unit]));
      }
    }
    return SelectionResult{name, summarise_errors(errors)};
  };
  std::vector<SelectionResult> results = {
      summarise("none (default gamma and zeta)", [&](std::size_t) { return default_point; })};
  for (const Criterion& criterion : criteria()) {
    results.push_back(summarise(
        criterion.name, [&](std::size_t unit) { return best_point(records, unit, criterion); }));
  }
  return results;
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
    ConeOptions point = tune_setting(context, setting, options, work, figure.run.failures);
    figure.maps.push_back({.setting = setting.name, .options = point});
    for (const double gamma : figure.values) {
      for (const double zeta : figure.values) {
        point.gamma = gamma;
        point.zeta = zeta;
        for (Unit& unit : setting_units(setting, options, groups, point)) {
          unit.name += fmt::format(", gamma {}, zeta {}", gamma, zeta);
          units.push_back(std::move(unit));
        }
      }
    }
  }
  const UnitsReport report = run_units(context, work, units, "figure 2");
  note_units(units, report, figure.run);

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
