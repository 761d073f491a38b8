#include <fmt/format.h>

#include "cone/json.hpp"

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
    add("effective sample size", *weights, "effective_sample_size");
  if (const auto clusters = data.find("clusters")) add("clusters", *clusters, "count");
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
  return table.finish("Data");
}

Html option_table(const RecordView& config) {
  Table table({"option", "value"}, true);
  for (const auto& [name, value] : config.members()) {
    const nlohmann::ordered_json& json = value.json();
    table.add_row({name, json.is_string() ? json.get<std::string>() : dump_json(json, -1)});
  }
  return table.finish("All options");
}

/// What the placeholders in capitals stand for.
Html command_notes(const CommandText& command, const RecordView& config) {
  const bool is_new = config.find("policy_arguments").has_value();
  Html notes;
  const auto add = [&](std::string_view words) {
    notes += html("<p class=\"soft\">{}</p>\n", words);
  };
  if (command.lacks_data) {
    add("The data was in memory: DATA stands for a folder or table with it, with the column "
        "names of the command.");
  }
  if (command.lacks_policies) {
    add(is_new
            ? "POLICIES.csv stands for a file with the policies that were in memory: a column id "
              "and one column per policy."
            : "POLICIES.csv stands for the file of the policies that are not built in; the "
              "record does not name it.");
  }
  if (command.lacks_model) add("MODEL stands for the model file of the run.");
  if (!command.lacks_data || is_new) {
    add("Paths are relative to the folder where the program ran.");
  }
  return notes;
}

}  // namespace

Html provenance_section(const RecordView& evaluation) {
  Table run({"run", ""}, true);
  for (const char* key : {"version", "commit", "revision", "run_id", "status"}) {
    if (const auto value = evaluation.find(key)) run.add_row({key, value->text()});
  }
  if (const auto checksum = evaluation.at("data").find("checksum")) {
    run.add_row({"data checksum", checksum->text()});
  }
  if (const auto timing = evaluation.find("timing_seconds")) {
    for (const auto& [name, seconds] : timing->members()) {
      run.add_row({"seconds, " + name, number_text(seconds.number())});
    }
  }
  const CommandText command = command_text(evaluation);
  return html(
      "<h2 id=\"data\">Data</h2>\n{}<h2 id=\"again\">Reproduce this run</h2>\n"
      "<pre><code>{}</code></pre>\n{}"
      "<details><summary>All options</summary>{}</details>\n"
      "<details><summary>Provenance</summary>{}</details>\n"
      "<p class=\"soft\">This page contains the record of the run: <code>cone report THIS.html "
      "--out NEW.html</code> makes the page again from it.</p>\n",
      data_table(evaluation), fmt::format("{}", fmt::join(command.words, " ")),
      command_notes(command, evaluation.at("config")), option_table(evaluation.at("config")),
      run.finish("Provenance"));
}

}  // namespace cone::report
