#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/report.hpp"

#include "options/json_text.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json golden(const std::string& name) {
  const std::string file = std::string(CONE_SOURCE_DIR) + "/tests/golden/" + name + ".json";
  return parse_json(read_bytes(file), file, "")["record"];
}

std::string page_of(std::vector<Json> records) {
  std::vector<ReportRecord> named;
  named.reserve(records.size());
  for (Json& json : records) named.push_back({.json = std::move(json), .source = "run.json"});
  return report_html(named);
}

/// The page without the record in it.
std::string visible(const std::string& page) { return page.substr(0, page.find("<template")); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Every value of the record, as pointers into it.
void list_pointers(const Json& json, const Json::json_pointer& at,
                   std::vector<Json::json_pointer>& out) {
  if (!at.empty()) out.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) list_pointers(value, at / key, out);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) list_pointers(json[i], at / i, out);
  }
}

TEST(ReportPage, OfEveryKindOfRunIsOneClosedPage) {
  for (const char* name : {"coupons", "coupons_given", "messages", "simulated", "split"}) {
    const std::string page = page_of({golden(name)});
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(page.ends_with("</html>\n"));
    EXPECT_EQ(count(page, "<svg"), count(page, "</svg>")) << name;
    EXPECT_EQ(count(page, "<script"), 0U);
    EXPECT_EQ(count(visible(page), "nan"), 0U) << name;
    EXPECT_EQ(count(page, "src="), 0U);
    EXPECT_GE(count(page, "role=\"img\""), 3U) << name;
    EXPECT_EQ(count(page, "<svg class=\"chart\""), count(page, "role=\"img\""));
    EXPECT_EQ(count(page, "role=\"img\""), count(page, "<desc>"));
  }
}

TEST(ReportPage, HoldsItsRecordAndIsMadeAgainFromIt) {
  const Json record = golden("messages");
  const std::string page = page_of({record});
  const std::vector<ReportRecord> inside = read_report_records(page, "page.html");
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(dump_json(inside[0].json), dump_json(record));
  EXPECT_EQ(report_html(inside), page);
}

TEST(ReportPage, OfTwoRunsSaysWhatChangedFirst) {
  Json later = golden("messages");
  later["config"]["seed"] = 77;
  const std::string page = page_of({golden("messages"), later});
  const std::size_t changes = page.find("What changed");
  ASSERT_NE(changes, page.npos);
  EXPECT_LT(changes, page.find("The newer run"));
  EXPECT_NE(page.find("<th>seed<td>0<td>77"), page.npos);
  EXPECT_NE(page.find("The same data"), page.npos);
  EXPECT_EQ(page.find("What changed", changes + 1), page.npos);
  EXPECT_THROW(page_of({later, later, later}), Error);
}

TEST(ReportPage, OfTwoRunsThatAreNotAlikeSaysSo) {
  const Json before = golden("messages");
  EXPECT_EQ(visible(page_of({before, before})).find("Caution</b>: "), std::string::npos);
  Json other = before;
  other["data"]["checksum"] = "00000000000000000000000000000000";
  EXPECT_NE(visible(page_of({before, other})).find("are about different data"), std::string::npos);
  other["config"]["outcome"] = "visits";
  const std::string page = visible(page_of({before, other}));
  EXPECT_NE(page.find("The outcome was outcome and is visits"), page.npos);
  EXPECT_EQ(page.find("Values of every policy before and now"), page.npos);

  Json policy = before;
  policy["policies"][0]["checksum"] = "00000000000000000000000000000000";
  EXPECT_NE(visible(page_of({before, policy})).find("does something else now: by_age."),
            std::string::npos);
  Json target = before;
  target["decision"]["target"] = "people_like_these";
  EXPECT_NE(visible(page_of({before, target})).find("for that reason alone"), std::string::npos);
  Json estimator = before;
  estimator["decision"]["estimator"] = "dr_ridge";
  EXPECT_NE(visible(page_of({before, estimator})).find("was by network_dm and is by dr_ridge"),
            std::string::npos);
}

TEST(ReportPage, OfManyPoliciesShowsTheSentencesOfTheBestFirst) {
  Json record = golden("messages");
  Json& policies = record["decision"]["policies"];
  Json one = policies[1];
  policies = Json::array({policies[0]});
  for (int p = 0; p < 9; ++p) {
    one["name"] = fmt::format("policy {}", p);
    one["sentence"] = fmt::format("policy {} is what it is.", p);
    one["gain"] = p;
    one["may_be_best"] = p == 2;
    policies.push_back(one);
  }
  const std::string page = visible(page_of({record}));
  const std::size_t folded = page.find("3 more policies in words");
  ASSERT_NE(folded, page.npos);
  EXPECT_LT(page.find("policy 2 is what"), page.find("policy 8 is what"));
  EXPECT_LT(page.find("policy 8 is what"), page.find("policy 7 is what"));
  EXPECT_LT(page.find("policy 4 is what"), folded);
  EXPECT_GT(page.find("policy 3 is what"), folded);
}

TEST(ReportPage, SaysWhoseUtilityItIsAndWhenCostsAreTakenOff) {
  Json record = golden("messages");
  EXPECT_EQ(count(visible(page_of({record})), "for these people, those in the data."), 1U);
  EXPECT_EQ(count(visible(page_of({record})), "before costs"), 0U);
  record["decision"]["target"] = "people_like_these";
  for (Json& policy : record["decision"]["policies"]) {
    policy["cost"] = 0.5;
    for (const char* key : {"value", "interval", "robust_interval"}) {
      policy[std::string("net_") + key] = policy[key];
    }
  }
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(count(page, "for people like these"), 1U);
  EXPECT_EQ(count(page, "before costs"), 1U);
}

/// The record with the losses of a training of three epochs.
Json with_curves(Json record) {
  record["diagnostics"]["trainings"] = Json::parse(R"([{"status": "completed", "epochs": 2,
      "best_epoch": 1, "validation_outcome_loss": 0.5, "validation_treatment_loss": 0.6,
      "outcome_error": 0.7, "propensity_loss": 0.65, "curves": {"epoch": [0, 1, 2],
      "training_loss": [1.75, 1.25, 1.125], "validation_loss": [1.875, 1.5, 1.625],
      "outcome_loss": [1, 0.75, 0.6875], "treatment_loss": [0.75, 0.5, 0.4375],
      "information_loss": [0, -0.25, null]}}])");
  return record;
}

TEST(ReportPage, DrawsHowNetworksWereTrainedWhereTheRecordHasIt) {
  const std::string page = visible(page_of({with_curves(golden("coupons_given"))}));
  EXPECT_NE(page.find("<title>Training of fold 1</title>"), page.npos);
  EXPECT_NE(page.find("Fold 1: epoch 1 of 2 was kept"), page.npos);
  EXPECT_NE(page.find("<th>1<td>1.25<td>1.5<td>0.75<td>0.5<td>-0.25"), page.npos);
  EXPECT_NE(page.find("<th>2<td>1.12<td>1.62<td>0.688<td>0.438<td>–"), page.npos);
  EXPECT_EQ(visible(page_of({golden("coupons_given")})).find("Training of cone"), page.npos);
}

TEST(ReportPage, OfAnOlderRecordWithoutCurvesHasTheTableOfTrainings) {
  Json record = with_curves(golden("coupons_given"));
  record["diagnostics"]["trainings"][0].erase("curves");
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(page.find("Training of fold"), page.npos);
  EXPECT_NE(page.find("fold by fold"), page.npos);
}

TEST(ReportPage, RefusesCurvesWithoutOneLossPerEpoch) {
  Json record = with_curves(golden("coupons_given"));
  record["diagnostics"]["trainings"][0]["curves"]["outcome_loss"].erase(1);
  EXPECT_THROW(page_of({record}), Error);
}

TEST(ReportPage, WarnsWhereAnAnalysisIsOfOtherData) {
  const Json record = golden("messages");
  Json analysis = {{"schema", "cone.sensitivity/1"},
                   {"data", {{"checksum", record["data"]["checksum"]}}},
                   {"threshold", 0.0},
                   {"policies", Json::array()}};
  const auto warnings = [&] {
    return count(visible(page_of({record, analysis})), "about other data");
  };
  EXPECT_EQ(warnings(), 0U);
  analysis["data"]["checksum"] = "another";
  EXPECT_EQ(warnings(), 1U);
}

/// An analysis with these options, of the data of a record.
Json analysis_of(const Json& record, Json config) {
  return {{"schema", "cone.sensitivity/1"},
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
  EXPECT_EQ(count(visible(page_of({record, same})), "other options"), 0U)
      << "the same data may be read by other names";
  config["level"] = 0.5;
  Json other = analysis_of(record, config);
  EXPECT_EQ(count(visible(page_of({other, record})), "on this page: level (0.5, there 0.95)."), 1U);
  EXPECT_EQ(visible(page_of({other, record})), visible(page_of({record, other})));
  other["data"]["checksum"] = "another";
  EXPECT_EQ(count(visible(page_of({record, other})), "cluster (village, there not set)"), 1U);
  EXPECT_EQ(count(visible(page_of({same, other})), "level (0.5, there 0.95)"), 1U);
}

TEST(ReportPage, SaysWhichFiguresAreBeforeCosts) {
  Json record = golden("messages");
  const Json sensitivity = analysis_of(record, Json::object());
  const std::string before = "all figures of this part are before costs; the evaluation";
  EXPECT_EQ(count(visible(page_of({record, sensitivity})), before), 0U);
  const Json node = {{"arm", "0"}, {"num_nodes", 9}};
  const Json way = {{"value", 1.0}, {"interval", {0.5, 1.5}}};
  Json rule = {{"schema", "cone.policy/1"},
               {"config", {{"cost", Json::array()}}},
               {"tree", node},
               {"verdict", "single_arm"},
               {"comparisons", Json::array()},
               {"rule", way},
               {"data", record["data"]},
               {"warnings", Json::array()}};
  Json with_costs = record;
  with_costs["decision"]["costs"] = {{"sms", 0.5}};
  with_costs["config"]["cost"] = {"sms=0.5"};
  EXPECT_EQ(count(visible(page_of({rule, sensitivity, with_costs})), before), 2U);
  rule["config"]["cost"] = {"sms=0.5"};
  EXPECT_EQ(count(visible(page_of({rule, sensitivity, with_costs})), before), 1U);
  const std::string page = visible(page_of({rule, record}));
  EXPECT_EQ(count(page, "are net of costs (sms=0.5); the evaluation on this page knows no"), 1U);
  EXPECT_EQ(count(page, "not learnt from, net of costs: 1 "), 1U);
  rule["config"]["cost"] = {"sms=0.7"};
  EXPECT_EQ(count(visible(page_of({rule, with_costs})), "the costs of this part are sms=0.7"), 1U);
}

Json sensitivity_of_corpus() {
  const std::string file = std::string(CONE_SOURCE_DIR) + "/tests/fuzz/corpus/report/sensitivity";
  return parse_json(read_bytes(file), file, "");
}

TEST(ReportPage, PrintsNoStrengthThatIsNotClear) {
  Json record = sensitivity_of_corpus();
  Json& benchmarks = record["policies"][0]["omitted_variable"]["benchmarks"];
  Json one = {{"name", "age"},        {"treatment_gain_is_clear", true},
              {"cf_y", 0.125},        {"cf_d", 0.0625},
              {"bias", 0.4375},       {"shift", -0.1875},
              {"times_to_undo", 3.25}};
  benchmarks = Json::array({one});
  std::string page = visible(page_of({record}));
  EXPECT_NE(page.find("<th>age<td>12.5 %<td>6.2 %<td>0.4375<td>-0.1875<td>3.25"), page.npos);
  EXPECT_NE(page.find("▲ 1 age"), page.npos);
  benchmarks[0]["treatment_gain_is_clear"] = false;
  page = visible(page_of({record}));
  EXPECT_NE(page.find("<th>age<td>12.5 %<td>not clear<td>–<td>-0.1875<td>–"), page.npos);
  EXPECT_EQ(page.find("▲ 1 age"), page.npos);
}

TEST(ReportPage, PrintsNoFigureOfAPolicyInDoubt) {
  Json record = sensitivity_of_corpus();
  record["policies"] = Json::array({record["policies"][0]});
  const std::string figure = "One hidden reason, by its strength";
  record["warnings"] = {"the log never did this"};
  EXPECT_EQ(count(visible(page_of({record})), figure), 1U);
  record["policies"][0]["sentences"] = {"No figure can be relied on. the log never did this."};
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(count(page, "No figure can be relied on"), 1U);
  EXPECT_EQ(count(page, figure) + count(page, "The bounds are around") + count(page, "<svg"), 0U);
}

TEST(ReportPage, NamesFromTheDataAreNoMarkup) {
  const std::string hostile = "</template></pre><img src=x onerror=alert(1)>'\"&\u202E";
  std::string text = dump_json(golden("messages"), -1);
  const std::string escaped_name = dump_json(Json(hostile), -1);
  std::size_t replaced = 0;
  for (std::size_t at = text.find("\"careful\""); at != text.npos;
       at = text.find("\"careful\"", at)) {
    text.replace(at, 9, escaped_name);
    ++replaced;
  }
  ASSERT_GT(replaced, 3U);
  const std::string page = page_of({parse_json(text, "", "")});
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find("\u202E"), page.npos);
  EXPECT_EQ(count(page, "</template>"), 1U);
  EXPECT_NE(page.find("&lt;/template&gt;&lt;/pre&gt;&lt;img src=x"), page.npos);
  EXPECT_EQ(dump_json(read_report_records(page, "")[0].json, -1), text);
}

TEST(ReportPage, OfADamagedRecordIsRefusedOrWhole) {
  const Json record = golden("coupons");
  std::vector<Json::json_pointer> pointers;
  list_pointers(record, Json::json_pointer(), pointers);
  ASSERT_GT(pointers.size(), 300U);
  const std::vector<Json> damages = {nullptr,       "text",         -1e308,
                                     Json::array(), Json::object(), Json::array({nullptr, "a"})};
  std::size_t refused = 0;
  for (std::size_t i = 0; i < pointers.size(); i += 7) {
    Json damaged = record;
    damaged[pointers[i]] = damages[i / 7 % damages.size()];
    try {
      const std::string page = page_of({std::move(damaged)});
      EXPECT_TRUE(page.ends_with("</html>\n")) << pointers[i].to_string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData) << pointers[i].to_string();
      ++refused;
    }
  }
  EXPECT_GT(refused, 50U);
}

TEST(ReportPage, SaysWhereARecordIsWrong) {
  Json record = golden("coupons");
  record["policies"][0]["estimates"][1]["value"] = "much";
  try {
    page_of({record});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("run.json (policies[0].estimates[1].value)"), 0U)
        << error.what();
  }
}

TEST(ReportPage, RefusesWhatIsNoRecord) {
  EXPECT_THROW(page_of({}), Error);
  EXPECT_THROW(page_of({Json::array()}), Error);
  EXPECT_THROW(page_of({Json{{"schema", "cone.evaluation/1"}}}), Error);
  EXPECT_THROW(page_of({Json{{"schema", 7}}}), Error);
  for (const char* bytes :
       {"", "[1,", "<!DOCTYPE html><p>a page</p>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">!!</template>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">AAAA</template>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\"></template>"}) {
    EXPECT_THROW(read_report_records(bytes, "x"), Error) << bytes;
  }
}

TEST(ReportPage, RefusesListsThatNobodyCouldRead) {
  Json record = golden("coupons");
  const Json policy = record["policies"][0];
  for (int i = 0; i < 6000; ++i) record["policies"].push_back(policy);
  EXPECT_THROW(page_of({record}), Error);
}

/// Numbers of all digits, as those of a real run.
void stir_numbers(Json& json, std::uint64_t& state) {
  if (json.is_number_float()) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    json = json.get<double>() * (1 + static_cast<double>(state >> 40U) * 1e-9);
  }
  if (!json.is_structured()) return;
  for (Json& value : json) stir_numbers(value, state);
}

TEST(ReportPage, OfTwentyPoliciesByTwentyEstimatorsIsSmall) {
  Json record = golden("simulated");
  std::uint64_t state = 1;
  const Json policy = record["policies"][0];
  const Json estimate = policy["estimates"][0];
  const Json decided = record["decision"]["policies"][1];
  const Json pair = record["decision"]["differences"][0];
  record["policies"] = Json::array();
  Json& decision = record["decision"];
  decision["policies"] = Json::array({decision["policies"][0]});
  decision["differences"] = Json::array();
  for (int p = 0; p < 20; ++p) {
    Json one = policy;
    one["name"] = fmt::format("policy {}", p);
    one["estimates"] = Json::array();
    for (int e = 0; e < 20; ++e) {
      Json row = estimate;
      row["estimator"] = fmt::format("estimator_{}", e);
      stir_numbers(row, state);
      // As in a run, where the error that counts is one of those by dependence.
      row["standard_error"] = row["standard_errors"][1]["standard_error"];
      one["estimates"].push_back(std::move(row));
    }
    record["policies"].push_back(std::move(one));
    Json chosen = decided;
    chosen["name"] = fmt::format("policy {}", p);
    stir_numbers(chosen, state);
    decision["policies"].push_back(std::move(chosen));
    for (int other = 0; other <= p; ++other) {
      Json difference = pair;
      difference["first"] = fmt::format("policy {}", p);
      difference["second"] = other == p ? "what was done" : fmt::format("policy {}", other);
      stir_numbers(difference, state);
      decision["differences"].push_back(std::move(difference));
    }
  }
  const std::string page = page_of({record});
  EXPECT_EQ(count(page, "estimator_19"), 40U);
  EXPECT_LE(page.size(), 300'000U);
}

TEST(ReportPage, OfStudiesShowsTheirTables) {
  const std::string folder = std::string(CONE_SOURCE_DIR) + "/bench/results/study/";
  for (const char* name : {"table2", "coverage", "figure2", "utility"}) {
    const std::string file = folder + name + ".json";
    const std::string page = page_of({parse_json(read_bytes(file), file, "")});
    EXPECT_GE(count(page, "role=\"img\""), 2U) << name;
    EXPECT_EQ(count(page, "role=\"img\""), count(page, "<summary>Numbers</summary>")) << name;
    EXPECT_EQ(count(visible(page), "nan"), 0U) << name;
  }
}

}  // namespace
}  // namespace cone
