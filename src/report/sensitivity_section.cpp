#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/charts.hpp"
#include "report/direction.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

/// How this analysis relates to the answer of the page.
Html decision_line(const RecordView& sensitivity, const RecordView& decision) {
  Html words = html("The answer above uses {}; this section uses the doubly robust estimator.",
                    decision.text("estimator"));
  const auto target = sensitivity.find("target");
  const auto decided = decision.find("target");
  if (target && decided && target->text() != decided->text()) {
    words += html(" This section is for the sample; the answer above is for the population.");
  }
  return html("<p class=\"soft\">{}</p>\n", words);
}

/// Which of the two estimates the bounds are around.
Html estimator_line(const RecordView& policy) {
  const auto ridge = policy.find("network_ridge_value");
  if (!ridge || !std::isfinite(ridge->number())) return {};
  return html(
      "<p class=\"soft\">Doubly robust {}, network ridge {}. The bounds are around the doubly "
      "robust estimate.</p>\n",
      number_text(policy.number("value")), number_text(ridge->number()));
}

/// Whether the results of a policy are unreliable: then its sentences repeat a warning of the
/// record.
bool is_doubted(const RecordView& sensitivity, const RecordView& policy) {
  const std::vector<std::string> sentences = policy.at("sentences").texts();
  const std::vector<RecordView> warnings = sensitivity.entries("warnings");
  return std::ranges::any_of(warnings, [&](const RecordView& warning) {
    const std::string words = warning.text();
    return !words.empty() && std::ranges::any_of(sentences, [&](const std::string& sentence) {
      return sentence.find(words) != std::string::npos;
    });
  });
}

}  // namespace

Html sensitivity_section(const RecordView& sensitivity, const std::optional<RecordView>& decision,
                         const Html& cautions) {
  const double threshold = sensitivity.number("threshold");
  Html out = html(
      "<h2>Sensitivity to unmeasured confounding</h2>\n<p class=\"soft\">Outcome: {}. Every value "
      "assumes that features and network contain all confounders of treatment and outcome. This "
      "section shows how far that assumption may fail before the conclusion changes.</p>\n",
      direction_words(sensitivity));
  out += cautions;
  if (decision) out += decision_line(sensitivity, *decision);
  for (const RecordView& warning : sensitivity.entries("warnings")) {
    out += html("<p><b>Note</b>: {}</p>\n", warning.text());
  }
  for (const RecordView& policy : sensitivity.at("policies").entries()) {
    Html lines;
    for (const std::string& sentence : policy.at("sentences").texts()) {
      lines += html("<li>{}\n", sentence);
    }
    const auto against = policy.find("against");
    out += html("<h3>{}{}</h3>\n<ul>{}</ul>\n", policy.text("name"),
                against ? " against " + against->text() : std::string(), lines);
    if (is_doubted(sensitivity, policy)) continue;
    out += html("{}<div class=\"pair\">{}{}</div>\n", estimator_line(policy),
                odds_figure(policy, threshold), contour_figure(policy, threshold));
  }
  return out;
}

}  // namespace cone::report
