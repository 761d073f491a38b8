#include "study/selection_criteria.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace cone {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double number_at(const UnitRecord& record, const char* part, const char* name) {
  if (record.status == UnitStatus::kFailed) return kMissing;
  const auto& value = record.result.at(part).at(name);
  return value.is_number() ? value.get<double>() : kMissing;
}

double error_of_cone(const UnitRecord& record) {
  if (record.status == UnitStatus::kFailed || !record.result.at("truth").is_number()) {
    return kMissing;
  }
  return number_at(record, "values", "cone") - record.result.at("truth").get<double>();
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

}  // namespace

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

}  // namespace cone
