#include "study/study_view.hpp"

#include <gtest/gtest.h>

#include "base/numeric.hpp"

namespace cone {
namespace {

using Form = StudyColumn::Form;

/// Two settings, two methods; one has no published error, one no result.
StudyTable small_results() {
  StudyTable table({{"setting"},
                    {"method"},
                    {"rmse", "RMSE", Form::kFixed, 2, "rmse_error"},
                    {"rmse_error"},
                    {"covered", "coverage", Form::kPercent, 1},
                    {"paper/rmse"},
                    {"errors"}});
  table.add({"a, 1", "naive", 0.25, 0.125, 0.5, 0.5, std::vector<double>{0.25, kNaN}}, '*');
  table.add({"a, 1", "cone", kNaN, kNaN, kNaN, {}, std::vector<double>{}});
  table.add({"b", "naive", 2.0, kNaN, 1.0, {}, std::vector<double>{1}}, '?');
  return table;
}

TEST(StudyTable, CsvHasAllDigitsAndEmptyFieldsForMissingNumbers) {
  EXPECT_EQ(small_results().csv(),
            "setting,method,rmse,rmse_error,covered,paper_rmse\n"
            "\"a, 1\",naive,0.25,0.125,0.5,0.5\n"
            "\"a, 1\",cone,,,,\n"
            "b,naive,2,,1,\n");
}

TEST(StudyTable, JsonHasNullForMissingNumbersAndOmitsWhatDoesNotArise) {
  const auto json = small_results().nested({{"setting", "methods"}});
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["name"], "a, 1");
  const auto expected = nlohmann::ordered_json::parse(
      R"({"method": "naive", "rmse": 0.25, "rmse_error": 0.125, "covered": 0.5,
          "paper": {"rmse": 0.5}, "errors": [0.25, null]})");
  EXPECT_EQ(json[0]["methods"][0], expected);
  EXPECT_TRUE(json[0]["methods"][1]["rmse"].is_null());
  EXPECT_FALSE(json[0]["methods"][1].contains("paper"));
  EXPECT_EQ(small_results().list().size(), 3U);
}

TEST(StudyTable, TablesShowErrorsMarksAndEveryValueOfAColumnAcross) {
  const StudyView view{.title = "Errors",
                       .keys = {"method"},
                       .across = "setting",
                       .shown = {{"rmse", "paper/rmse", " (", ")", true}}};
  const ShownTable shown = show(small_results(), view);
  EXPECT_EQ(tables_text(std::span(&shown, 1)),
            "Errors\n\n"
            "method                 a, 1      b\n"
            "----------------------------------\n"
            "naive   0.25 ± 0.12 (0.5) *  2.00?\n"
            "cone                      -\n");
  EXPECT_EQ(tables_markdown(std::span(&shown, 1)),
            "### Errors\n\n"
            "| method | a, 1 | b |\n|---|---:|---:|\n"
            "| naive | **0.25 ± 0.12 (0.5)** | 2.00? |\n"
            "| cone | - |  |\n");
}

TEST(StudyTable, RowsWithTheSameKeysShareALine) {
  const ShownTable shown =
      show(small_results(), {.title = "", .keys = {"method"}, .shown = {{"covered"}}});
  ASSERT_EQ(shown.rows.size(), 2U);
  EXPECT_EQ(shown.rows[0][1].text, "50.0 / 100.0 %");
  const ShownTable one = show(small_results(), {.title = "",
                                                .only = {{"setting", "b"}},
                                                .keys = {"method"},
                                                .shown = {{"rmse"}, {"covered"}}});
  EXPECT_EQ(one.columns, (std::vector<std::string>{"method", "RMSE", "coverage"}));
  EXPECT_EQ(one.rows.size(), 1U);
}

}  // namespace
}  // namespace cone
