#include <optional>
#include <string>
#include <vector>

#include "cone/error.hpp"
#include "cone/report.hpp"

#include "report/embedded_record.hpp"
#include "report/html.hpp"
#include "report/number_text.hpp"
#include "report/record_view.hpp"
#include "report/sections.hpp"
#include "report/style.hpp"

namespace cone {
namespace report {
namespace {

/// Records by what they are about.
struct SortedRecords {
  std::vector<RecordView> evaluations, sensitivities, rules, studies;
};

/// A record that this version makes too, with other keys.
bool is_other_version(std::string_view schema) {
  const std::string_view kind = schema.substr(0, schema.find('/'));
  return kind == "cone.evaluation" || kind == "cone.sensitivity" || kind == "cone.policy" ||
         kind == "cone.utility" || kind == "cone.coverage";
}

SortedRecords sort_records(std::span<const ReportRecord> records) {
  SortedRecords sorted;
  for (const ReportRecord& record : records) {
    const RecordView view(record.json, record.source);
    const std::string schema = view.text("schema");
    if (schema == "cone.evaluation/3") {
      sorted.evaluations.push_back(view);
    } else if (schema == "cone.sensitivity/2") {
      sorted.sensitivities.push_back(view);
    } else if (schema == "cone.policy/2") {
      sorted.rules.push_back(view);
    } else if (is_study(schema)) {
      sorted.studies.push_back(view);
    } else {
      view.at("schema").fail(
          is_other_version(schema)
              ? "is " + schema + ", which another version of cone wrote: run the command again"
              : "is of a kind that no report is made of");
    }
  }
  if (sorted.evaluations.size() > 2) {
    sorted.evaluations[2].fail("is the third evaluation, and a report compares two");
  }
  return sorted;
}

/// "5,200 nodes, 171,600 edges, 2,200 features; data: shop"
Html data_line(const RecordView& evaluation) {
  const RecordView data = evaluation.at("data");
  Html words = html("{} nodes", count_text(data.number("num_nodes")));
  for (const auto& [key, name] :
       {std::pair{"num_edges", "edges"}, std::pair{"num_features", "features"}}) {
    if (const auto value = data.find(key)) {
      words += html(", {} {}", count_text(value->number()), std::string_view(name));
    }
  }
  if (const auto file = evaluation.at("config").find("data")) {
    words += html("; data: {}", file->text());
  }
  return html("<p class=\"soft\">{}</p>\n", words);
}

/// What all analyses of a page should be about: the newest evaluation, else the first analysis.
const RecordView* main_record(const SortedRecords& records) {
  if (!records.evaluations.empty()) return &records.evaluations.back();
  if (!records.rules.empty()) return &records.rules.front();
  return records.sensitivities.empty() ? nullptr : &records.sensitivities.front();
}

/// Words where an analysis does not go with what the page is about.
Html cautions_of(const SortedRecords& records, const RecordView& analysis) {
  const RecordView* main = main_record(records);
  if (main == nullptr || &main->json() == &analysis.json()) return {};
  const bool is_first = records.evaluations.empty();
  return analysis_cautions(*main, is_first ? "the first analysis" : "the evaluation", analysis);
}

Html page_body(const SortedRecords& records) {
  Html body;
  const std::vector<RecordView>& runs = records.evaluations;
  if (!runs.empty()) {
    body += html("<h1>What the policies would have achieved</h1>\n");
    body += data_line(runs.back());
    if (runs.size() == 2) body += changes_section(runs[0], runs[1]);
    if (runs.size() == 2) body += html("<h2>The newer run</h2>\n");
    body += answer_section(runs.back());
    body += doubt_section(runs.back());
  } else {
    const char* title = !records.studies.empty() ? "Results of a study"
                        : records.rules.empty()  ? "Sensitivity to unmeasured confounding"
                                                 : "A learnt rule";
    body += html("<h1>{}</h1>\n", title);
  }
  for (const RecordView& rule : records.rules) {
    body += rule_section(rule, cautions_of(records, rule));
  }
  for (const RecordView& sensitivity : records.sensitivities) {
    body +=
        sensitivity_section(sensitivity, runs.empty() ? std::nullopt : runs.back().find("decision"),
                            cautions_of(records, sensitivity));
  }
  for (const RecordView& study : records.studies) body += study_section(study);
  if (runs.empty()) return body;
  body += specification_section(runs.back());
  body += diagnostics_section(runs.back());
  body += provenance_section(runs.back());
  return body;
}

Html whole_page(const Html& body, const Html& records) {
  return html(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>cone report</title>\n<style>{}{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "{}</body>\n</html>\n",
      Html::trusted(kLightColours), Html::trusted(kChartStyle), Html::trusted(kPageStyle), body,
      records);
}

}  // namespace
}  // namespace report

std::string report_html(std::span<const ReportRecord> records) {
  if (records.empty()) {
    throw Error(ErrorCode::kUsage, {{}, "there is no record to report on", "give one"});
  }
  const report::Html body = report::page_body(report::sort_records(records));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ReportRecord& record : records) all.push_back(record.json);
  return report::whole_page(body, report::embed_records(all)).markup();
}

}  // namespace cone
