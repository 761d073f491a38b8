#include <string>
#include <vector>

#include "cone/error.hpp"
#include "cone/report.hpp"

#include "report/embedded_record.hpp"
#include "report/html.hpp"
#include "report/record_view.hpp"
#include "report/sections.hpp"
#include "report/style.hpp"

namespace cone {
namespace report {
namespace {

Html evaluation_page(const std::vector<RecordView>& evaluations) {
  const RecordView& run = evaluations.back();
  Html body = html("<h1>What the policies would have achieved</h1>\n");
  body += answer_section(run);
  body += doubt_section(run);
  body += specification_section(run);
  body += diagnostics_section(run);
  body += provenance_section(run);
  return body;
}

Html whole_page(const std::string& title, const Html& body, const Html& records) {
  return html(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n{}</body>\n</"
      "html>\n",
      title, Html::trusted(kStyle), body, records);
}

}  // namespace
}  // namespace report

std::string report_html(std::span<const ReportRecord> records) {
  using namespace report;
  std::vector<RecordView> evaluations;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ReportRecord& record : records) {
    const RecordView view(record.json, record.source);
    const std::string schema = view.text("schema");
    if (schema == "cone.evaluation/2") {
      evaluations.push_back(view);
    } else {
      view.at("schema").fail("is " + schema + ", of which no report is made");
    }
    all.push_back(record.json);
  }
  return whole_page("Report of an evaluation", evaluation_page(evaluations), embed_records(all))
      .markup();
}

}  // namespace cone
