#include <cmath>

#include <gtest/gtest.h>

#include "cone/output.hpp"

namespace cone {
namespace {

LoadedData small_data() {
  LoadedData data;
  Dataset& d = data.observed;
  for (const char* id : {"a", "b", "c", "d", "e"}) d.ids.insert(id);
  d.treatment = {1, 1, 0, 0, 0};
  d.outcome = {3, 5, 1, 2, 3};
  d.features.names = {"x", "word"};
  d.features.num_dense = 1;
  // x: 2 4 | 0 3 3, the zero implicit; word: one node only.
  d.features.matrix = SparseMatrix(2, {0, 1, 2, 2, 3, 5}, {0, 0, 0, 0, 1}, {2, 4, 3, 3, 7});
  d.graph = build_graph(Context({.threads = 1}), 5, std::vector<Edge>{{0, 1}, {1, 2}});
  data.columns = {{.name = "x", .role = "feature", .kind = "number", .num_features = 1}};
  data.notes = {"a note"};
  return data;
}

TEST(DataReport, DescribesArmsColumnsAndNetworkByHand) {
  const DataReport report = report_data(small_data());
  EXPECT_EQ(report.num_numeric_features, 1U);
  EXPECT_EQ(report.num_counts, 1U);
  EXPECT_EQ(report.arms[1].num_nodes, 2U);
  EXPECT_DOUBLE_EQ(report.arms[1].outcome_mean, 4);
  EXPECT_DOUBLE_EQ(report.arms[0].outcome_sd, 1);
  EXPECT_EQ(report.columns[0].min, 0);
  EXPECT_EQ(report.columns[0].max, 4);
  // Means 3 and 2, variances 2 and 3.
  ASSERT_EQ(report.differences.size(), 2U);
  EXPECT_EQ(report.differences[1].feature, "x");
  EXPECT_DOUBLE_EQ(report.differences[1].standardised, 1 / std::sqrt(2.5));
  EXPECT_EQ(report.network.num_edges, 2U);
  EXPECT_EQ(report.network.num_isolated, 2U);
  EXPECT_EQ(report.network.num_components, 3U);
  EXPECT_EQ(report.network.largest_component, 3U);
}

TEST(DataReport, NamesArmsWithTooFewNodesForTheFolds) {
  const auto small_arm = [](std::size_t members) {
    LoadedData data;
    Dataset& d = data.observed;
    d.ids = IdTable::numbered(20);
    d.arms = {"no", "sms"};
    for (std::size_t i = 0; i < 20; ++i) {
      d.treatment.push_back(i < members ? 1 : 0);
      d.outcome.push_back(static_cast<double>(i));
    }
    d.features.matrix = SparseMatrix(0, std::vector<std::uint64_t>(21, 0), {}, {});
    d.graph = build_graph(Context({.threads = 1}), 20, std::vector<Edge>{});
    const std::vector<std::string> notes = report_data(data).notes;
    return notes.empty() ? "" : notes[0];
  };
  EXPECT_EQ(small_arm(5), "");
  EXPECT_EQ(
      small_arm(4),
      "arm 'sms' has 4 nodes, and each of the 5 folds needs one: cone evaluate will refuse it; "
      "use --folds 4, more nodes of this arm, or remove the arm");
  EXPECT_NE(small_arm(3).find("; use --folds 3 --selection-folds 2, more nodes"),
            std::string::npos);
  EXPECT_NE(
      small_arm(1).find("has 1 node, and each of the 5 folds needs one: cone evaluate will refuse "
                        "it; use more nodes of this arm"),
      std::string::npos);
}

TEST(DataReport, ComparesEveryArmWithTheControlArm) {
  LoadedData data = small_data();
  data.observed.arms = {"no", "email", "sms"};
  data.observed.treatment = {1, 1, 0, 0, 2};
  DataReport report = report_data(data);
  ASSERT_EQ(report.arms.size(), 3U);
  EXPECT_EQ(report.arms[2].label, "sms");
  EXPECT_EQ(report.arms[2].num_nodes, 1U);
  // x: 2 4 | 0 3 | 3. Means 3, 1.5 and 3, variances 2, 4.5 and none.
  ASSERT_EQ(report.differences.size(), 4U);
  for (const DataReport::Difference& difference : report.differences) {
    if (difference.feature != "x") continue;
    const double variance = difference.arm == "email" ? (2 + 4.5) / 2 : 4.5 / 2;
    EXPECT_DOUBLE_EQ(difference.standardised, 1.5 / std::sqrt(variance)) << difference.arm;
  }
  report.policies = {{"p", {0.25, 0.25, 0.5}}};
  const std::string text = data_report_text(report);
  EXPECT_NE(text.find("arm 'no' (control): 2 nodes"), std::string::npos) << text;
  EXPECT_NE(text.find("assigns arm no to 25.0 %, arm email to 25.0 %, arm sms to 50.0 %"),
            std::string::npos)
      << text;
  const auto json = to_json(report);
  EXPECT_EQ(json["arms"][1]["label"], "email");
  EXPECT_EQ(json["policies"][0]["treated_fraction"], 0.75);
  EXPECT_EQ(json["policies"][0]["arms"][2]["share"], 0.5);
}

TEST(DataReport, TextAndJsonSayTheSame) {
  const DataReport report = report_data(small_data());
  const std::string text = data_report_text(report);
  EXPECT_NE(text.find("5 nodes, 1 numeric feature, 1 count feature"), std::string::npos) << text;
  EXPECT_NE(text.find("! a note"), std::string::npos);
  const auto json = to_json(report);
  EXPECT_EQ(json["schema"], "cone.check/2");
  EXPECT_EQ(json["columns"][0]["scaling"], "column");
  EXPECT_EQ(json["network"]["num_components"], 3);
}

}  // namespace
}  // namespace cone
