// The page of two runs: what changed.
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

TEST(ReportPage, OfTwoRunsThatAreNotComparableSaysSo) {
  const Json before = golden("messages");
  EXPECT_EQ(visible(page_of({before, before})).find("Caution</b>: "), std::string::npos);
  Json other = before;
  other["data"]["checksum"] = "00000000000000000000000000000000";
  EXPECT_NE(visible(page_of({before, other})).find("use different data"), std::string::npos);
  other["config"]["outcome"] = "visits";
  const std::string page = visible(page_of({before, other}));
  EXPECT_NE(page.find("The outcome changed from outcome to visits"), page.npos);
  EXPECT_EQ(page.find("Values of every policy before and now"), page.npos);

  Json policy = before;
  policy["policies"][0]["checksum"] = "00000000000000000000000000000000";
  EXPECT_NE(visible(page_of({before, policy})).find("but different assignments: by_age."),
            std::string::npos);
  Json target = before;
  target["decision"]["target"] = "sample";
  EXPECT_NE(visible(page_of({before, target})).find("for that reason alone"), std::string::npos);
  Json direction = before;
  direction["decision"]["lower_is_better"] = true;
  EXPECT_NE(visible(page_of({before, direction})).find("Lower outcomes are better in one run"),
            std::string::npos);
  Json estimator = before;
  estimator["decision"]["estimator"] = "dr_ridge";
  EXPECT_NE(visible(page_of({before, estimator}))
                .find("The estimator changed from network_dm to dr_ridge"),
            std::string::npos);
}

}  // namespace
}  // namespace cone
