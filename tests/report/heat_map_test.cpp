#include "report/heat_map.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cone::report {
namespace {

HeatMap small_map() {
  return {.title = "errors & more",
          .row_name = "gamma",
          .column_name = "zeta",
          .rows = {"1", "2"},
          .columns = {"10", "20"},
          .values = {{0.01, 0.1}, {1, std::numeric_limits<double>::quiet_NaN()}}};
}

TEST(HeatMap, ShadesFromTheSmallestToTheLargestByTheirLogarithm) {
  const std::string page = heat_map(small_map()).finish().markup();
  EXPECT_NE(page.find("class=\"h0\""), page.npos);
  EXPECT_NE(page.find("class=\"h4\""), page.npos) << "0.1 lies half way from 0.01 to 1";
  EXPECT_NE(page.find("class=\"h8\""), page.npos);
  EXPECT_NE(page.find("–"), page.npos);
  EXPECT_EQ(page.find("nan"), page.npos);
}

TEST(HeatMap, OfOneValueOrNoneIsDrawn) {
  HeatMap map = small_map();
  map.values = {{0.5, 0.5}, {0.5, 0.5}};
  EXPECT_NE(heat_map(map).finish().markup().find("0.500"), std::string::npos);
  map.values.clear();
  EXPECT_EQ(heat_map(map).finish().markup().find("nan"), std::string::npos);
}

TEST(SvgFile, NeedsNoStyleSheetAndEscapesTitles) {
  const std::string file = svg_file({{heat_map(small_map()), heat_map(small_map())}}, 300);
  EXPECT_TRUE(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_NE(file.find("<style>"), file.npos);
  EXPECT_NE(file.find("errors &amp; more"), file.npos);
}

}  // namespace
}  // namespace cone::report
