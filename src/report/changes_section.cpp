#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/json.hpp"

#include "report/forest_chart.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

/// The value of a policy in a record: that of its decision, else of its first estimator.
struct ReportedValue {
  double value;
  Range interval;
  std::string ranks;
};

std::map<std::string, ReportedValue> values_of(const RecordView& evaluation,
                                               std::vector<std::string>& order) {
  std::map<std::string, ReportedValue> values;
  const auto add = [&](const std::string& name, ReportedValue value) {
    if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    values.emplace(name, std::move(value));
  };
  if (const auto decision = evaluation.find("decision")) {
    for (const RecordView& policy : decision->at("policies").entries()) {
      const bool is_net = policy.find("cost").has_value();
      const Range ranks = policy.range("ranks");
      add(policy.text("name"),
          {policy.number(is_net ? "net_value" : "value"),
           policy.range(is_net ? "net_interval" : "interval"),
           is_finite(ranks) ? count_text(ranks.first) + " to " + count_text(ranks.second)
                            : std::string(kNoNumber)});
    }
    return values;
  }
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    const std::vector<RecordView> estimates = policy.at("estimates").entries();
    if (estimates.empty()) continue;
    add(policy.text("name"), {estimates.front().number("value"),
                              estimates.front().range("interval"), std::string(kNoNumber)});
  }
  return values;
}

Html value_changes(const RecordView& before, const RecordView& after, bool has_chart) {
  std::vector<std::string> order;
  const std::map<std::string, ReportedValue> old_values = values_of(before, order);
  const std::map<std::string, ReportedValue> new_values = values_of(after, order);
  Table table({"policy", "before", "CI", "ranks", "now", "CI", "ranks", "change"});
  std::vector<ForestRow> rows;
  for (const std::string& name : order) {
    const auto was = old_values.find(name);
    const auto is = new_values.find(name);
    const std::string none(kNoNumber);
    const bool has_old = was != old_values.end();
    const bool has_new = is != new_values.end();
    table.add_row(
        {name, has_old ? number_text(was->second.value) : "absent",
         has_old ? range_text(was->second.interval) : none, has_old ? was->second.ranks : none,
         has_new ? number_text(is->second.value) : "absent",
         has_new ? range_text(is->second.interval) : none, has_new ? is->second.ranks : none,
         has_old && has_new ? signed_text(is->second.value - was->second.value) : none});
    if (!has_old || !has_new) continue;
    // The name is shown once: with a suffix, two long names would be shortened to the same label.
    rows.push_back({.label = name,
                    .value = was->second.value,
                    .inner = was->second.interval,
                    .is_reference = true});
    rows.push_back({.label = "now", .value = is->second.value, .inner = is->second.interval});
  }
  if (rows.empty() || !has_chart) return table.finish("Values before and now");
  const Html chart = forest_chart(
      rows, {.title = "Values of every policy before and now",
             .description = "Two rows per policy: a square is the older run, a circle the newer."});
  return figure("Values in the older run (■) and the newer (●)", chart,
                table.finish("Values before and now"));
}

/// All leaves of a part of a record, by their paths.
void flatten(const nlohmann::ordered_json& json, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      flatten(value, path.empty() ? key : fmt::format("{}.{}", path, key), out);
    }
  } else {
    out.emplace_back(path, json.is_string() ? json.get<std::string>() : dump_json(json, -1));
  }
}

Html part_changes(const RecordView& before, const RecordView& after, const char* part) {
  std::vector<std::pair<std::string, std::string>> old_values, new_values;
  if (const auto json = before.find(part)) flatten(json->json(), "", old_values);
  if (const auto json = after.find(part)) flatten(json->json(), "", new_values);
  const auto value_in = [](const auto& values,
                           const std::string& key) -> std::optional<std::string> {
    for (const auto& [name, value] : values) {
      if (name == key) return value;
    }
    return std::nullopt;
  };
  Table table({part, "before", "now"}, true);
  std::size_t count = 0;
  const auto add = [&](const std::string& key) {
    const auto was = value_in(old_values, key);
    const auto is = value_in(new_values, key);
    if (was == is) return;
    ++count;
    table.add_row({key, was.value_or("absent"), is.value_or("absent")});
  };
  for (const auto& [key, value] : old_values) add(key);
  for (const auto& [key, value] : new_values) {
    if (!value_in(old_values, key)) add(key);
  }
  if (count == 0) return {};
  return table.finish(std::string("Changes in ") + part);
}

/// All warnings and cautions of a record.
std::set<std::string> warnings_of(const RecordView& evaluation) {
  std::set<std::string> warnings;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    for (const RecordView& e : policy.at("estimates").entries()) {
      for (const std::string& warning : e.at("warnings").texts()) {
        warnings.insert(policy.text("name") + ", " + e.text("estimator") + ": " + warning);
      }
    }
  }
  if (const auto diagnostics = evaluation.find("diagnostics")) {
    for (const RecordView& warning : diagnostics->entries("warnings")) {
      warnings.insert(warning.text());
    }
    for (const RecordView& verdict : diagnostics->entries("verdicts")) {
      if (verdict.text("verdict") == "caution") {
        warnings.insert(verdict.text("name") + ": " + verdict.text("sentence"));
      }
    }
  }
  return warnings;
}

Html warning_list(const char* title, const std::set<std::string>& those,
                  const std::set<std::string>& others) {
  Html lines;
  std::size_t count = 0;
  for (const std::string& warning : those) {
    if (others.contains(warning)) continue;
    lines += html("<li>{}\n", warning);
    ++count;
  }
  if (count == 0) return {};
  return html("<details><summary>{} {}</summary><ul>{}</ul></details>\n", count,
              std::string_view(title), lines);
}

}  // namespace

Html changes_section(const RecordView& before, const RecordView& after) {
  Html out = html("<h2 id=\"changes\">What changed</h2>\n");
  const RunDifferences differences = compare_runs(before, after);
  Html cautions;
  for (const std::string& sentence : differences.sentences) {
    cautions += html("<li class=\"caution\"><b>Caution</b>: {}\n", sentence);
  }
  if (!cautions.empty()) out += html("<ul class=\"verdicts\">{}</ul>\n", cautions);
  out += value_changes(before, after, !differences.has_other_outcome);
  const Html data = part_changes(before, after, "data");
  const Html options = part_changes(before, after, "config");
  out += html("<h3>Data</h3>\n{}", data.empty() ? html("<p>The same data.</p>\n") : data);
  out +=
      html("<h3>Options</h3>\n{}", options.empty() ? html("<p>The same options.</p>\n") : options);
  const std::set<std::string> was = warnings_of(before);
  const std::set<std::string> is = warnings_of(after);
  const Html fresh = warning_list("new warnings", is, was);
  const Html gone = warning_list("resolved warnings", was, is);
  out += html("<h3>Warnings</h3>\n{}{}", fresh, gone);
  if (fresh.empty() && gone.empty()) out += html("<p>The same warnings.</p>\n");
  return out;
}

}  // namespace cone::report
