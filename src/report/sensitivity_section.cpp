#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"

namespace cone::report {

Html sensitivity_section(const RecordView& sensitivity) {
  const double threshold = sensitivity.number("threshold");
  Html out = html(
      "<h2>What something hidden could do</h2>\n<p class=\"soft\">Every value rests on a premise: "
      "whatever decided both who was treated and what came of it is in the features or in the "
      "network. Here is how wrong that may be before the answer changes.</p>\n");
  for (const RecordView& warning : sensitivity.entries("warnings")) {
    out += html("<p><b>Note</b>: {}</p>\n", warning.text());
  }
  for (const RecordView& policy : sensitivity.at("policies").entries()) {
    Html lines;
    for (const std::string& sentence : policy.at("sentences").texts()) {
      lines += html("<li>{}\n", sentence);
    }
    const auto against = policy.find("against");
    out += html("<h3>{}{}</h3>\n<ul>{}</ul>\n<div class=\"pair\">{}{}</div>\n", policy.text("name"),
                against ? " against " + against->text() : std::string(), lines,
                odds_figure(policy, threshold), contour_figure(policy, threshold));
  }
  return out;
}

}  // namespace cone::report
