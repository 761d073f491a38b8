#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/json.hpp"
#include "cone/load.hpp"

#include "report/direction.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

std::optional<RecordView> find_inside(const RecordView& record, const char* part,
                                      std::string_view key) {
  const auto found = record.find(part);
  return found ? found->find(key) : std::nullopt;
}

/// Whether two records are of the same data, by their checksums.
enum class DataMatch { kSame, kOther, kUnknown };

DataMatch match_data(const RecordView& main, const RecordView& analysis) {
  const auto own = find_inside(main, "data", "checksum");
  const auto other = find_inside(analysis, "data", "checksum");
  if (!own || !other) return DataMatch::kUnknown;
  return own->text() == other->text() ? DataMatch::kSame : DataMatch::kOther;
}

/// An option's value in a sentence.
std::string option_words(const RecordView& value) {
  const nlohmann::ordered_json& json = value.json();
  const std::string text =
      json.is_null()     ? std::string()
      : json.is_string() ? value.text()
      : json.is_array()
          ? fmt::format("{}", fmt::join(value.texts(), ","))
          : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return text.empty() ? "not set" : text;
}

/// "level (0.9 here, 0.95 there)" for every option that differs between the records.
std::vector<std::string> list_other_options(const RecordView& main, const RecordView& analysis,
                                            DataMatch match) {
  const auto here = analysis.find("config");
  const auto there = main.find("config");
  std::vector<std::string> found;
  if (!here || !there) return found;
  const nlohmann::ordered_json table = option_json(LoadOptions{});
  for (const auto& [name, value] : here->members()) {
    // Paths do not define an analysis, policies are named on the page, and costs have their own
    // sentence. The same data may be read under other column names.
    const bool is_apart = name == "data" || name == "data_in_memory" || name == "policies" ||
                          name == "policy_arguments" || name == "cost" || name == "edges";
    if (is_apart || (match == DataMatch::kSame && table.contains(name))) continue;
    // Undeclared is the same as false.
    if (name == "lower_is_better" && prefers_lower(*here) == prefers_lower(*there)) continue;
    const auto other = there->find(name);
    if (!other || other->json() == value.json()) continue;
    found.push_back(
        fmt::format("{} ({} here, {} there)", name, option_words(value), option_words(*other)));
  }
  return found;
}

std::vector<std::string> list_costs(const RecordView& record) {
  const auto costs = find_inside(record, "config", "cost");
  std::vector<std::string> all = costs ? costs->texts() : std::vector<std::string>();
  std::ranges::sort(all);
  return all;
}

}  // namespace

bool takes_costs(const RecordView& record) {
  return !list_costs(record).empty() || find_inside(record, "decision", "costs").has_value();
}

Html analysis_cautions(const RecordView& main, std::string_view main_name,
                       const RecordView& analysis) {
  std::vector<std::string> sentences;
  const DataMatch match = match_data(main, analysis);
  if (match == DataMatch::kOther) {
    sentences.push_back(fmt::format(
        "this analysis uses other data, or other columns, than {} on this page.", main_name));
  }
  const std::vector<std::string> options = list_other_options(main, analysis, match);
  if (!options.empty()) {
    sentences.push_back(
        fmt::format("the options of this analysis differ from those of {} on this page: {}.",
                    main_name, fmt::join(options, "; ")));
  }
  const std::vector<std::string> costs = list_costs(analysis);
  if (takes_costs(main) && !takes_costs(analysis)) {
    sentences.push_back(fmt::format(
        "all results of this section are before costs; {} on this page is net of costs.",
        main_name));
  } else if (!takes_costs(main) && takes_costs(analysis)) {
    sentences.push_back(
        fmt::format("the results of this section are net of costs ({}); {} on this page has no "
                    "costs.",
                    fmt::join(costs, ", "), main_name));
  } else if (const std::vector<std::string> main_costs = list_costs(main);
             !main_costs.empty() && costs != main_costs) {
    sentences.push_back(
        fmt::format("the costs of this section are {}, those of {} on this page {}.",
                    fmt::join(costs, ", "), main_name, fmt::join(main_costs, ", ")));
  }
  Html lines;
  for (const std::string& sentence : sentences) {
    lines += html("<li class=\"caution\"><b>Warning</b>: {}\n", sentence);
  }
  return lines.empty() ? Html() : html("<ul class=\"verdicts\">{}</ul>\n", lines);
}

}  // namespace cone::report
