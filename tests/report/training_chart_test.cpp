// Training curves of the networks on the page.
#include <string>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "report/report_pages.hpp"

namespace cone {
namespace {

using testing::golden;
using testing::Json;
using testing::page_of;
using testing::visible;

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

TEST(ReportPage, DrawsTrainingCurvesWhereTheRecordHasThem) {
  const std::string page = visible(page_of({with_curves(golden("coupons_given"))}));
  EXPECT_NE(page.find("<title>Training of fold 1</title>"), page.npos);
  EXPECT_NE(page.find("Fold 1: epoch 1 of 2 selected"), page.npos);
  EXPECT_NE(page.find("<th>1<td>1.25<td>1.5<td>0.75<td>0.5<td>-0.25"), page.npos);
  EXPECT_NE(page.find("<th>2<td>1.12<td>1.62<td>0.688<td>0.438<td>–"), page.npos);
  EXPECT_EQ(visible(page_of({golden("coupons_given")})).find("Training of cone"), page.npos);
}

TEST(ReportPage, OfARecordWithoutCurvesHasTheTableOfTrainings) {
  Json record = with_curves(golden("coupons_given"));
  record["diagnostics"]["trainings"][0].erase("curves");
  const std::string page = visible(page_of({record}));
  EXPECT_EQ(page.find("Training of fold"), page.npos);
  EXPECT_NE(page.find("networks by fold"), page.npos);
}

TEST(ReportPage, RefusesCurvesWithoutOneLossPerEpoch) {
  Json record = with_curves(golden("coupons_given"));
  record["diagnostics"]["trainings"][0]["curves"]["outcome_loss"].erase(1);
  EXPECT_THROW(page_of({record}), Error);
}

}  // namespace
}  // namespace cone
