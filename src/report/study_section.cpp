#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/forest_chart.hpp"
#include "report/heat_map.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kStudyNormal95 = 1.96;
constexpr double kLargestRatio = 3;  // to the median: larger errors are cut off by the scale

/// The errors of all methods in one setting.
Html error_figure(const RecordView& setting, const std::string& caption) {
  std::vector<ForestRow> rows;
  std::vector<double> errors;
  bool has_paper = false;
  Table table({"method", "RMSE", "std. error", "MAE", "bias", "RMSE in the paper"});
  for (const RecordView& method : setting.at("methods").entries()) {
    const double rmse = method.number("rmse");
    const double half = kStudyNormal95 * method.number("rmse_error");
    ForestRow row{.label = method.text("method"),
                  .value = rmse,
                  .inner = {std::max(0.0, rmse - half), rmse + half}};
    if (const auto paper = method.find("paper")) row.truth = paper->number("rmse");
    has_paper = has_paper || row.truth.has_value();
    table.add_row({row.label, number_text(rmse), number_text(method.number("rmse_error")),
                   number_text(method.number("mae")), signed_text(method.number("bias")),
                   row.truth ? number_text(*row.truth) : std::string(kNoNumber)});
    if (std::isfinite(rmse)) errors.push_back(rmse);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return {};
  std::optional<double> largest;
  if (!errors.empty()) {
    std::nth_element(errors.begin(),
                     errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
    largest = kLargestRatio * errors[errors.size() / 2];
  }
  return figure(caption, forest_legend(rows, "RMSE ± 1.96 standard errors", "", "in the paper"),
                forest_chart(rows, {.title = "RMSE by method: " + caption,
                                    .description = "One row per method; smaller is better.",
                                    .axis_name = "RMSE of the policy value",
                                    .reference = 0.0,
                                    .largest = largest}),
                table.finish("Errors: " + caption));
}

Html table2_body(const RecordView& study) {
  Html figures;
  for (const RecordView& setting : study.at("settings").entries()) {
    figures += error_figure(setting, setting.text("name"));
  }
  return html("<div class=\"pair\">{}</div>\n", figures);
}

/// Studies of policies × settings × methods.
Html policies_body(const RecordView& study) {
  Html out;
  for (const RecordView& policy : study.at("policies").entries()) {
    Html figures;
    for (const RecordView& setting : policy.at("settings").entries()) {
      figures += error_figure(setting, setting.text("name"));
    }
    out += html("<h3>Policy {}</h3>\n<div class=\"pair\">{}</div>\n", policy.text("name"), figures);
  }
  Table table({"setting", "policy", "method", "best reference", "ratio", "p", "harm"});
  const std::vector<RecordView> verdicts = study.entries("verdicts");
  for (const RecordView& v : verdicts) {
    table.add_row({v.text("setting"), v.text("policy"), v.text("method"), v.text("best"),
                   number_text(v.number("ratio")), p_text(v.number("p")),
                   v.at("harm").flag() ? "yes" : "no"});
  }
  if (!verdicts.empty()) {
    out += html("<h3>RMSE relative to the best reference</h3>\n{}",
                table.finish("RMSE relative to the best reference"));
  }
  return out;
}

Html coverage_figure(const RecordView& setting) {
  std::vector<ForestRow> rows;
  Table table({"policy, method", "simulations", "sampling", "sensitivity", "half-width",
               "sensitivity half-width"});
  for (const RecordView& policy : setting.at("policies").entries()) {
    for (const RecordView& row : policy.at("rows").entries()) {
      const std::string label = policy.text("name") + ", " + row.text("method");
      const double sensitivity = row.number("sensitivity_interval");
      rows.push_back({.label = label, .value = row.number("sampling")});
      if (std::isfinite(sensitivity)) rows.back().truth = sensitivity;
      table.add_row({label, count_text(row.number("simulations")),
                     percent_text(row.number("sampling")), percent_text(sensitivity),
                     number_text(row.number("half_width")),
                     number_text(row.number("sensitivity_half_width"))});
    }
  }
  const std::string name = setting.text("name");
  return figure(
      name,
      html("<p class=\"legend\"><span>● confidence interval</span> <span>◇ sensitivity interval"
           "</span> <span>dotted: 95 %</span></p>\n"),
      forest_chart(rows, {.title = "Coverage of the intervals: " + name,
                          .description = "One line per policy and method: sampling intervals as "
                                         "circles, sensitivity intervals as diamonds.",
                          .reference = 0.95}),
      table.finish("Coverage: " + name));
}

Html coverage_body(const RecordView& study) {
  Html figures;
  for (const RecordView& setting : study.at("settings").entries()) {
    figures += coverage_figure(setting);
  }
  return html("<div class=\"pair\">{}</div>\n", figures);
}

Html figure2_body(const RecordView& study) {
  std::vector<std::string> values;
  for (const double value : study.at("values").numbers()) {
    values.push_back(fmt::format("{:g}", value));
  }
  Html out;
  for (const RecordView& setting : study.at("settings").entries()) {
    Html maps;
    for (const auto& [key, name] : {std::pair{"rmse", "RMSE"}, std::pair{"mae", "MAE"}}) {
      HeatMap map{.title = setting.text("name") + ": " + name,
                  .row_name = "gamma",
                  .column_name = "zeta",
                  .rows = values,
                  .columns = values};
      std::vector<std::string> titles = {"gamma \\ zeta"};
      titles.insert(titles.end(), values.begin(), values.end());
      Table table(titles);
      for (const RecordView& row : setting.at(key).entries()) {
        map.values.push_back(row.numbers());
        if (map.values.size() > values.size() || map.values.back().size() != values.size()) {
          row.fail("has a different length from values");
        }
        std::vector<std::string> cells = {values[map.values.size() - 1]};
        for (const double value : map.values.back()) cells.push_back(number_text(value));
        table.add_row(cells);
      }
      maps += figure(map.title, heat_map(map).finish(), table.finish(map.title), true);
    }
    out += html("<div class=\"pair\">{}</div>\n", maps);
  }
  return out;
}

struct StudyKind {
  std::string_view schema;
  const char* title;
  Html (*body)(const RecordView&);
};

constexpr StudyKind kStudies[] = {
    {"cone.table2/1", "Table 2: errors by method", table2_body},
    {"cone.worlds/1", "Worlds: errors by data-generating process", policies_body},
    {"cone.values/1", "Policy values on all nodes, cross-fitted", policies_body},
    {"cone.coverage/2", "Coverage of sampling and sensitivity intervals", coverage_body},
    {"cone.figure2/1", "Figure 2: errors by gamma and zeta", figure2_body},
};

}  // namespace

bool is_study(std::string_view schema) {
  return std::any_of(std::begin(kStudies), std::end(kStudies),
                     [&](const StudyKind& kind) { return kind.schema == schema; });
}

std::vector<std::string_view> study_schemas() {
  std::vector<std::string_view> schemas;
  for (const StudyKind& kind : kStudies) schemas.push_back(kind.schema);
  return schemas;
}

Html study_section(const RecordView& study) {
  const std::string schema = study.text("schema");
  const auto* kind = std::find_if(std::begin(kStudies), std::end(kStudies),
                                  [&](const StudyKind& k) { return k.schema == schema; });
  if (kind == std::end(kStudies))
    study.at("schema").fail("is " + schema + ", which is not a study");
  Html words;
  for (const char* key : {"version", "commit"}) {
    if (const auto value = study.find(key)) {
      words += html("{} {}. ", std::string_view(key), value->text());
    }
  }
  for (const char* key : {"simulations", "seed"}) {
    if (const auto value = study.find(key)) {
      words += html("{}: {}. ", std::string_view(key), count_text(value->number()));
    }
  }
  return html("<h2>{}</h2>\n<p class=\"soft\">{}</p>\n{}", std::string_view(kind->title), words,
              kind->body(study));
}

}  // namespace cone::report
