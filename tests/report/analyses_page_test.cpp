// Sensitivity analyses and learnt rules beside an evaluation, and where they differ from it.
#include <string>

#include <gtest/gtest.h>

#include "report/report_pages.hpp"

namespace cone {
namespace {

using testing::count;
using testing::golden;
using testing::Json;
using testing::page_of;
using testing::read_bytes;
using testing::visible;

TEST(ReportPage, WarnsWhereAnAnalysisIsOfOtherData) {
  const Json record = golden("messages");
  Json analysis = {{"schema", "cone.sensitivity/2"},
                   {"data", {{"checksum", record["data"]["checksum"]}}},
                   {"threshold", 0.0},
                   {"policies", Json::array()}};
  const auto warnings = [&] {
    return count(visible(page_of({record, analysis})), "uses other data");
  };
  EXPECT_EQ(warnings(), 0U);
  analysis["data"]["checksum"] = "another";
  EXPECT_EQ(warnings(), 1U);
}

/// An analysis with these options, of the data of a record.
Json analysis_of(const Json& record, Json config) {
  return {{"schema", "cone.sensitivity/2"},
          {"config", std::move(config)},
          {"data", {{"checksum", record["data"]["checksum"]}}},
          {"threshold", 0.0},
          {"policies", Json::array()}};
}

TEST(ReportPage, WarnsWhereAnAnalysisHasOtherOptions) {
  const Json record = golden("messages");
  Json config = {{"level", record["config"]["level"]}, {"lambdas", 25}, {"data", "elsewhere"}};
  config["cluster"] = "village";
  const Json same = analysis_of(record, config);
  EXPECT_EQ(count(visible(page_of({record, same})), "options of this analysis differ"), 0U)
      << "the same data may be read under other column names";
  config["level"] = 0.5;
  Json other = analysis_of(record, config);
  EXPECT_EQ(count(visible(page_of({other, record})), "on this page: level (0.5 here, 0.95 there)."),
            1U);
  EXPECT_EQ(visible(page_of({other, record})), visible(page_of({record, other})));
  other["data"]["checksum"] = "another";
  EXPECT_EQ(count(visible(page_of({record, other})), "cluster (village here, not set there)"), 1U);
  EXPECT_EQ(count(visible(page_of({same, other})), "level (0.5 here, 0.95 there)"), 1U);
}

TEST(ReportPage, SaysWhichResultsAreBeforeCosts) {
  Json record = golden("messages");
  const Json sensitivity = analysis_of(record, Json::object());
  const std::string before = "all results of this section are before costs; the evaluation";
  EXPECT_EQ(count(visible(page_of({record, sensitivity})), before), 0U);
  const Json node = {{"arm", "0"}, {"num_nodes", 9}};
  const Json value = {{"value", 1.0}, {"sampling_interval", {0.5, 1.5}}};
  Json rule = {{"schema", "cone.policy/3"},
               {"config", {{"cost", Json::array()}}},
               {"tree", node},
               {"verdict", "single_arm"},
               {"summary", "No split improves the value."},
               {"comparisons", Json::array()},
               {"rule", value},
               {"data", record["data"]},
               {"warnings", Json::array()}};
  Json with_costs = record;
  with_costs["decision"]["costs"] = {{"sms", 0.5}};
  with_costs["config"]["cost"] = {"sms=0.5"};
  EXPECT_EQ(count(visible(page_of({rule, sensitivity, with_costs})), before), 2U);
  rule["config"]["cost"] = {"sms=0.5"};
  EXPECT_EQ(count(visible(page_of({rule, sensitivity, with_costs})), before), 1U);
  const std::string page = visible(page_of({rule, record}));
  EXPECT_EQ(count(page, "are net of costs (sms=0.5); the evaluation on this page has no"), 1U);
  EXPECT_EQ(count(page, "Cross-fitted value, net of costs: 1 "), 1U);
  rule["config"]["cost"] = {"sms=0.7"};
  EXPECT_EQ(count(visible(page_of({rule, with_costs})), "the costs of this section are sms=0.7"),
            1U);
}

Json sensitivity_of_corpus() {
  const std::string file = std::string(CONE_SOURCE_DIR) + "/tests/fuzz/corpus/report/sensitivity";
  return parse_json(read_bytes(file), file, "");
}

TEST(ReportPage, ShowsNoStrengthThatIsNotClear) {
  Json record = sensitivity_of_corpus();
  Json& benchmarks = record["policies"][0]["omitted_variable"]["benchmarks"];
  Json one = {{"name", "age"},
              {"treatment_gain_is_clear", true},
              {"cf_y", 0.125},
              {"cf_d", 0.0625},
              {"bias", 0.4375},
              {"shift", -0.1875},
              {"times_to_explain_away", 3.25}};
  benchmarks = Json::array({one});
  std::string page = visible(page_of({record}));
  EXPECT_NE(page.find("<th>age<td>12.5 %<td>6.2 %<td>0.4375<td>-0.1875<td>3.25"), page.npos);
  EXPECT_NE(page.find("▲ 1 age"), page.npos);
  benchmarks[0]["treatment_gain_is_clear"] = false;
  page = visible(page_of({record}));
  EXPECT_NE(page.find("<th>age<td>12.5 %<td>not clear<td>–<td>-0.1875<td>–"), page.npos);
  EXPECT_EQ(page.find("▲ 1 age"), page.npos);
}

TEST(ReportPage, ShowsNoFigureOfAnUnreliableResult) {
  Json record = sensitivity_of_corpus();
  record["policies"] = Json::array({record["policies"][0]});
  const std::string figure = "Omitted-variable bias by confounding strength";
  record["warnings"] = {"overlap fails"};
  EXPECT_EQ(count(visible(page_of({record})), figure), 1U);
  record["policies"][0]["sentences"] = {"These results are not reliable. overlap fails."};
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(count(page, "These results are not reliable"), 1U);
  EXPECT_EQ(count(page, figure) + count(page, "The bounds are around") + count(page, "<svg"), 0U);
}

}  // namespace
}  // namespace cone
