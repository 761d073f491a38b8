#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

#include "results/text_table.hpp"
#include "study/tune.hpp"

namespace cone {
namespace {

/// One cell per option, in order of declaration.
std::vector<std::pair<std::string, std::string>> option_cells(const ConeOptions& options) {
  std::vector<std::pair<std::string, std::string>> cells;
  ConeOptions::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                           const Range& = {}) {
    cells.emplace_back(std::string(name), option_text(value));
  });
  return cells;
}

/// Indices of the options in which the points differ.
std::vector<std::size_t> varied_options(const std::vector<TunedPoint>& points) {
  const auto first = option_cells(points.front().options);
  std::vector<bool> varies(first.size());
  for (const TunedPoint& point : points) {
    const auto cells = option_cells(point.options);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k] != first[k]) varies[k] = true;
    }
  }
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < varies.size(); ++k) {
    if (varies[k]) indices.push_back(k);
  }
  return indices;
}

}  // namespace

std::string tuning_text(const Tuning& tuning) {
  const std::vector<std::size_t> varied = varied_options(tuning.ranked);
  const auto names = option_cells(tuning.ranked.front().options);
  std::vector<TextTable::Column> columns = {
      {"rank"}, {"score"}, {"outcome error"}, {"propensity loss"}};
  for (const std::size_t k : varied) columns.push_back({names[k].first});
  TextTable table(std::move(columns));
  std::map<std::string, std::size_t> failures;
  std::size_t rank = 0;
  for (const TunedPoint& point : tuning.ranked) {
    std::vector<std::string> row = {"-", "failed", "", ""};
    if (point.failure.empty()) {
      row = {std::to_string(++rank), sentence("{:.5f}", point.score),
             sentence("{:.5f}", point.outcome_error), sentence("{:.5f}", point.propensity_loss)};
    } else {
      ++failures[point.failure];
    }
    const auto cells = option_cells(point.options);
    for (const std::size_t k : varied) row.push_back(cells[k].second);
    table.add_row(std::move(row));
  }
  std::string text = table.to_string();
  for (const auto& [why, count] : failures) text += fmt::format("\n{} failed: {}\n", count, why);
  return text;
}

nlohmann::ordered_json best_options_json(const Tuning& tuning) {
  const TunedPoint& best = tuning.ranked.front();
  const auto num_failed =
      std::count_if(tuning.ranked.begin(), tuning.ranked.end(),
                    [](const TunedPoint& point) { return !point.failure.empty(); });
  nlohmann::ordered_json how = {{"version", std::string(kVersion)},
                                {"commit", std::string(build_commit())},
                                {"data_checksum", tuning.data_checksum},
                                {"seed", tuning.seed},
                                {"score", best.score},
                                {"outcome_error", best.outcome_error},
                                {"propensity_loss", best.propensity_loss},
                                {"num_points", tuning.ranked.size()},
                                {"num_failed", num_failed}};
  how.update(option_json(tuning.options));
  return {{"schema", std::string(kOptionFileSchema)},
          {"options", option_json(best.options)},
          {"tuning", std::move(how)}};
}

}  // namespace cone
