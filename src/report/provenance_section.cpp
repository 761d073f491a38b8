#include <fmt/format.h>

#include "options/json_text.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

Html data_table(const RecordView& evaluation) {
  const RecordView data = evaluation.at("data");
  Table table({"data", ""});
  const auto add = [&](const char* title, const RecordView& from, const char* key) {
    if (const auto value = from.find(key)) table.add_row({title, count_text(value->number())});
  };
  add("nodes", data, "num_nodes");
  add("edges", data, "num_edges");
  add("features", data, "num_features");
  for (const RecordView& arm : data.entries("arms")) {
    table.add_row({"nodes in arm " + arm.text("label"), count_text(arm.number("num_nodes"))});
  }
  if (const auto weights = data.find("weights"))
    add("effective nodes", *weights, "effective_nodes");
  if (const auto clusters = data.find("clusters")) add("groups given", *clusters, "count");
  if (const auto diagnostics = evaluation.find("diagnostics")) {
    add("evaluated nodes", *diagnostics, "num_evaluated_nodes");
    add("nodes without edges", *diagnostics, "num_isolated_nodes");
    add("self loops dropped", *diagnostics, "num_self_loops_dropped");
    add("repeated edges merged", *diagnostics, "num_edges_merged");
  }
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    if (const auto treated = policy.find("treated_fraction")) {
      table.add_row({"treated by " + policy.text("name"), percent_text(treated->number())});
    }
  }
  return table.finish("The data");
}

Html option_table(const RecordView& config) {
  Table table({"option", "value"}, true);
  for (const auto& [name, value] : config.members()) {
    const nlohmann::ordered_json& json = value.json();
    table.add_row({name, json.is_string() ? json.get<std::string>() : dump_json(json, -1)});
  }
  return table.finish("Every option");
}

}  // namespace

Html provenance_section(const RecordView& evaluation) {
  Table run({"run", ""}, true);
  for (const char* key : {"version", "commit", "revision", "run_id", "status"}) {
    if (const auto value = evaluation.find(key)) run.add_row({key, value->text()});
  }
  if (const auto checksum = evaluation.at("data").find("checksum")) {
    run.add_row({"checksum of the data", checksum->text()});
  }
  if (const auto timing = evaluation.find("timing_seconds")) {
    for (const auto& [name, seconds] : timing->members()) {
      run.add_row({"seconds, " + name, number_text(seconds.number())});
    }
  }
  const std::string command = command_text(evaluation);
  Html notes;
  if (command.find("POLICIES.csv") != command.npos) {
    notes += html(
        "<p class=\"soft\">POLICIES.csv stands for the file of the policies that are not built in; "
        "a "
        "record does not say where it was.</p>\n");
  }
  if (command.find("--model MODEL") != command.npos) {
    notes += html("<p class=\"soft\">MODEL stands for the model file that was used.</p>\n");
  }
  return html(
      "<h2 id=\"data\">The data</h2>\n{}<h2 id=\"again\">How to do it again</h2>\n"
      "<pre><code>{}</code></pre>\n{}"
      "<details><summary>Every option</summary>{}</details>\n"
      "<details><summary>The run</summary>{}</details>\n"
      "<p class=\"soft\">The record of the run is inside this page: <code>cone report THIS.html "
      "--out "
      "NEW.html</code> makes the page again from it.</p>\n",
      data_table(evaluation), command, notes, option_table(evaluation.at("config")),
      run.finish("The run"));
}

}  // namespace cone::report
