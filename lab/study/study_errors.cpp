#include "study/study_errors.hpp"

#include <algorithm>
#include <cmath>

#include "cone/options.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// The mean of f(error) over the finite errors of each simulation that has any.
template <class F>
std::vector<double> means(const std::vector<std::vector<double>>& errors, const F& f) {
  std::vector<double> result;
  for (const std::vector<double>& runs : errors) {
    double sum = 0;
    std::size_t count = 0;
    for (const double error : runs) {
      if (!std::isfinite(error)) continue;
      sum += f(error);
      ++count;
    }
    if (count > 0) result.push_back(sum / static_cast<double>(count));
  }
  return result;
}

/// `run` of a record that has several.
double error_of(const UnitRecord& record, std::size_t run, std::string_view label) {
  if (record.status == UnitStatus::kFailed) return kNaN;
  const auto& result =
      record.result.contains("runs") ? record.result.at("runs").at(run) : record.result;
  return number_or_nan(result.at("values").at(std::string(label))) -
         number_or_nan(result.at("truth"));
}

}  // namespace

double number_or_nan(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : kNaN;
}

MeanAndError mean_and_error(const std::vector<double>& values) {
  if (values.empty()) return {kNaN, kNaN};
  const double error = values.size() < 2
                           ? kNaN
                           : std::sqrt(variance(values, 1) / static_cast<double>(values.size()));
  return {mean(values), error};
}

double median(std::vector<double> values) {
  if (values.empty()) return kNaN;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> absolute_errors(const std::vector<std::vector<double>>& errors) {
  return means(errors, [](double error) { return std::abs(error); });
}

ErrorSummary summarise_errors(const std::vector<std::vector<double>>& errors) {
  const std::vector<double> squares = means(errors, [](double error) { return error * error; });
  const std::vector<double> absolutes = absolute_errors(errors);
  ErrorSummary summary;
  std::vector<double> all;
  for (const std::vector<double>& runs : errors) {
    for (const double error : runs) {
      if (std::isfinite(error)) {
        all.push_back(std::abs(error));
      } else {
        ++summary.num_missing;
      }
    }
  }
  if (absolutes.empty()) {
    summary.rmse = summary.rmse_error = summary.mae = summary.mae_error = kNaN;
    summary.bias = summary.median_error = kNaN;
    return summary;
  }
  summary.rmse = std::sqrt(mean(squares));
  // Delta method: d√m = dm / (2√m).
  summary.rmse_error = summary.rmse > 0 ? mean_and_error(squares).error / (2 * summary.rmse) : 0;
  const MeanAndError mae = mean_and_error(absolutes);
  summary.mae = mae.mean;
  summary.mae_error = mae.error;
  summary.bias = mean(means(errors, [](double error) { return error; }));
  summary.median_error = median(std::move(all));
  return summary;
}

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
