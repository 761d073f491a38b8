#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/output.hpp"
#include "cone/record.hpp"
#include "cone/report.hpp"
#include "cone/text.hpp"

#include "report/direction.hpp"
#include "report/embedded_record.hpp"
#include "report/html.hpp"
#include "report/number_text.hpp"
#include "report/record_view.hpp"
#include "report/sections.hpp"
#include "report/style.hpp"

namespace cone {
namespace report {
namespace {

/// Records by kind.
struct SortedRecords {
  std::vector<RecordView> evaluations, sensitivities, rules, studies;
};

/// The schema that this version reads for the same kind of record; empty for other kinds.
std::string_view current_schema(std::string_view schema) {
  const auto kind_of = [](std::string_view of) { return of.substr(0, of.find('/')); };
  std::vector<std::string_view> known = study_schemas();
  known.insert(known.end(), {kEvaluationSchema, kSensitivitySchema, kPolicySchema});
  for (const std::string_view current : known) {
    if (kind_of(current) == kind_of(schema)) return current;
  }
  return {};
}

[[noreturn]] void refuse_schema(const RecordView& record, const std::string& schema) {
  const std::string_view current = current_schema(schema);
  const Place place{.file = record.file(), .item = "schema"};
  if (current.empty()) {
    throw Error(ErrorCode::kData,
                {place, fmt::format("is {}, which cone report does not read", printable(schema)),
                 "give a record of cone evaluate, sensitivity, learn or reproduce"});
  }
  throw Error(
      ErrorCode::kData,
      {place, fmt::format("is {}, and this version of cone reads {}", printable(schema), current),
       "run the command that wrote the record again with this version"});
}

SortedRecords sort_records(std::span<const ReportRecord> records) {
  SortedRecords sorted;
  for (const ReportRecord& record : records) {
    const RecordView view(record.json, record.source);
    const std::string schema = view.text("schema");
    if (schema == kEvaluationSchema) {
      sorted.evaluations.push_back(view);
    } else if (schema == kSensitivitySchema) {
      sorted.sensitivities.push_back(view);
    } else if (schema == kPolicySchema) {
      sorted.rules.push_back(view);
    } else if (is_study(schema)) {
      sorted.studies.push_back(view);
    } else {
      refuse_schema(view, schema);
    }
  }
  if (sorted.evaluations.size() > 2) {
    sorted.evaluations[2].fail("is the third evaluation; a report compares two");
  }
  return sorted;
}

/// "5,200 nodes, 171,600 edges, 2,200 features; data: shop; outcome: spend, higher is better"
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
  if (const auto decision = evaluation.find("decision")) {
    words += html("; outcome: {}", direction_words(*decision));
  }
  return html("<p class=\"soft\">{}</p>\n", words);
}

/// The record that the other analyses are compared with: the newest evaluation, else the first
/// analysis.
const RecordView* main_record(const SortedRecords& records) {
  if (!records.evaluations.empty()) return &records.evaluations.back();
  if (!records.rules.empty()) return &records.rules.front();
  return records.sensitivities.empty() ? nullptr : &records.sensitivities.front();
}

/// Warnings where an analysis does not match the main record.
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
    body += html("<h1>Off-policy evaluation</h1>\n");
    body += data_line(runs.back());
    if (runs.size() == 2) body += changes_section(runs[0], runs[1]);
    if (runs.size() == 2) body += html("<h2>The newer run</h2>\n");
    body += answer_section(runs.back());
    body += doubt_section(runs.back());
  } else {
    const char* title = !records.studies.empty() ? "Study results"
                        : records.rules.empty()  ? "Sensitivity to unmeasured confounding"
                                                 : "Learnt policy";
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
    throw Error(ErrorCode::kUsage, {{}, "there is no record to report on", "give at least one"});
  }
  const report::Html body = report::page_body(report::sort_records(records));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ReportRecord& record : records) all.push_back(record.json);
  return report::whole_page(body, report::embed_records(all)).markup();
}

}  // namespace cone
