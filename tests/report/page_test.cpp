// The page of one run.
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/report.hpp"

#include "report/report_pages.hpp"

namespace cone {
namespace {

using testing::count;
using testing::golden;
using testing::Json;
using testing::page_of;
using testing::read_bytes;
using testing::visible;

TEST(ReportPage, OfEveryKindOfRunIsOneClosedPage) {
  for (const char* name : {"coupons", "coupons_given", "messages", "simulated", "split"}) {
    const std::string page = page_of({golden(name)});
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(page.ends_with("</html>\n"));
    EXPECT_EQ(count(page, "<svg"), count(page, "</svg>")) << name;
    EXPECT_EQ(count(page, "<script"), 0U);
    EXPECT_FALSE(std::regex_search(visible(page), std::regex("\\bnan\\b"))) << name;
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

TEST(ReportPage, OfManyPoliciesShowsTheSentencesOfTheBestFirst) {
  Json record = golden("messages");
  Json& policies = record["decision"]["policies"];
  Json one = policies[1];
  policies = Json::array({policies[0]});
  for (int p = 0; p < 9; ++p) {
    one["name"] = fmt::format("policy {}", p);
    one["sentence"] = fmt::format("policy {} is what it is.", p);
    one["gain"] = p;
    one["sensitivity_may_be_best"] = p == 2;
    policies.push_back(one);
  }
  const std::string page = visible(page_of({record}));
  const std::size_t folded = page.find("3 more policies");
  ASSERT_NE(folded, page.npos);
  EXPECT_LT(page.find("policy 2 is what"), page.find("policy 8 is what"));
  EXPECT_LT(page.find("policy 8 is what"), page.find("policy 7 is what"));
  EXPECT_LT(page.find("policy 4 is what"), folded);
  EXPECT_GT(page.find("policy 3 is what"), folded);
  record["decision"]["lower_is_better"] = true;
  const std::string lower = visible(page_of({record}));
  EXPECT_LT(lower.find("policy 2 is what"), lower.find("policy 0 is what"));
  EXPECT_LT(lower.find("policy 0 is what"), lower.find("policy 1 is what"));
  EXPECT_GT(lower.find("policy 8 is what"), lower.find("3 more policies"));
}

TEST(ReportPage, BeginsWithTheDirection) {
  Json record = golden("messages");
  record["decision"]["outcome"] = "churn";
  EXPECT_NE(visible(page_of({record})).find("outcome: churn, higher is better</p>"),
            std::string::npos);
  record["decision"]["lower_is_better"] = true;
  const std::string page = visible(page_of({record}));
  EXPECT_NE(page.find("outcome: churn, lower is better</p>"), page.npos);
  EXPECT_NE(page.find("Left of the dotted line at zero it is better"), page.npos);
}

TEST(ReportPage, NamesTheTargetAndSaysWhenCostsAreSubtracted) {
  Json record = golden("messages");
  record["decision"]["target"] = "sample";
  EXPECT_EQ(count(visible(page_of({record})), "for the sample, the units in the data."), 1U);
  EXPECT_EQ(count(visible(page_of({record})), "before costs"), 0U);
  record["decision"]["target"] = "population";
  for (Json& policy : record["decision"]["policies"]) {
    policy["cost"] = 0.5;
    for (const char* key : {"value", "interval", "sensitivity_interval"}) {
      policy[std::string("net_") + key] = policy[key];
    }
  }
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(count(page, "Values and intervals are for the population"), 1U);
  EXPECT_EQ(count(page, "before costs"), 1U);
  EXPECT_EQ(count(page, "Costs are subtracted here"), 1U);
  record["decision"]["lower_is_better"] = true;
  EXPECT_EQ(count(visible(page_of({record})), "Costs are added here"), 1U);
}

/// What the table of estimates has under the interval of every estimator of the first policy.
Json shown_intervals(const Json& record) {
  const std::string page = visible(page_of({record}));
  const std::string name = record["policies"][0]["name"];
  const std::size_t table = page.find("aria-label=\"Estimates of " + name + "\"");
  EXPECT_NE(table, page.npos);
  Json shown;
  for (const Json& e : record["policies"][0]["estimates"]) {
    const std::string estimator = e["estimator"];
    std::size_t at = page.find(estimator + "<td>", table);
    EXPECT_NE(at, page.npos) << estimator;
    for (int cell = 0; cell < 2; ++cell) at = page.find("<td>", at) + 4;
    shown[estimator] = page.substr(at, page.find("<td>", at) - at);
  }
  return shown;
}

TEST(ReportPage, ATableOfEstimatesHasOneTarget) {
  Json record = golden("messages");
  record["config"]["target"] = "sample";
  for (Json& policy : record["policies"]) {
    for (Json& e : policy["estimates"]) {
      if (e["sample_standard_error"].is_number()) e["target"] = "sample";
    }
  }
  const std::string reason =
      "<p class=\"soft\">ips, snips, ips_clipped, okb: no outcome model, so no standard error for "
      "the "
      "sample; --target population has one</p>";
  EXPECT_EQ(count(visible(page_of({record})), reason), record["policies"].size());
  const Json for_sample = shown_intervals(record);
  for (const auto& [estimator, interval] : for_sample.items()) {
    const bool has_other_target = estimator.find("ips") != estimator.npos || estimator == "okb";
    EXPECT_EQ(interval == "–", has_other_target) << estimator << ": " << interval;
  }
  record["policies"][0]["estimates"][8]["target"] = "population";  // dm_ridge
  EXPECT_EQ(
      count(visible(page_of({record})),
            "<p class=\"soft\">dm_ridge: no standard error for the sample; --target population "
            "has one</p>"),
      1U);

  record["config"]["target"] = "population";
  for (Json& policy : record["policies"]) {
    for (Json& e : policy["estimates"]) e["target"] = "population";
  }
  EXPECT_EQ(count(visible(page_of({record})), "has one"), 0U);
  const Json for_population = shown_intervals(record);
  for (const auto& [estimator, interval] : for_population.items()) {
    EXPECT_NE(interval, "–") << estimator;
  }
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
      difference["second"] = other == p ? "logged" : fmt::format("policy {}", other);
      stir_numbers(difference, state);
      decision["differences"].push_back(std::move(difference));
    }
  }
  const std::string page = page_of({record});
  EXPECT_EQ(count(page, "estimator_19"), 40U);
  EXPECT_LE(page.size(), 400'000U);
}

TEST(ReportPage, OpensWithVerdictsConditionsAndWarningsInOneBlock) {
  Json record = golden("messages");
  Json& policies = record["decision"]["policies"];
  for (std::size_t k = 1; k < policies.size(); ++k) policies[k]["verdict"] = "not_shown";
  policies[1]["verdict"] = "conditional";
  record["diagnostics"]["warnings"] = {"treatment depends on the network"};
  record["diagnostics"]["overlap"][0]["verdict"] = "ok";
  record["diagnostics"]["calibration"][0]["verdict"] = "caution";
  const std::string page = visible(page_of({record}));
  const std::size_t begin = page.find("<section class=\"answer\"");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(page.find("<svg"), page.find("<svg", begin)) << "no chart is before it";
  const std::string block = page.substr(begin, page.find("</section>", begin) - begin);
  EXPECT_EQ(count(block, "<b class=\"badge conditional\">conditional</b> "), 1U);
  EXPECT_EQ(count(block, "treatment depends on the network"), 1U);
  EXPECT_EQ(count(block, "class=\"lead\""), 1U);
  EXPECT_EQ(count(page, "<summary>Overlap: could every unit have received every arm? "), 1U);
  EXPECT_EQ(count(page, "<h3>Calibration: do the propensities match the observed shares?</h3>"),
            1U);
  for (const char* title : {">ranks", ">ranks without unmeasured confounding", ">may be the best",
                            ">may be the best without unmeasured confounding"}) {
    EXPECT_EQ(count(page, title + std::string("<")), 1U) << title;
  }
}

TEST(ReportPage, OfStudiesShowsTheirTables) {
  const std::string folder = std::string(CONE_SOURCE_DIR) + "/bench/results/study/";
  for (const char* name : {"table2", "coverage", "figure2", "values"}) {
    const std::string file = folder + name + ".json";
    const std::string page = page_of({parse_json(read_bytes(file), file, "")});
    EXPECT_GE(count(page, "role=\"img\""), 2U) << name;
    EXPECT_EQ(count(page, "role=\"img\""), count(page, "<summary>Numbers</summary>")) << name;
    EXPECT_FALSE(std::regex_search(visible(page), std::regex("\\bnan\\b"))) << name;
  }
}

}  // namespace
}  // namespace cone
