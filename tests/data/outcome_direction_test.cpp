#include "data/outcome_direction.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/text.hpp"

namespace cone {
namespace {

TEST(SplitName, SplitsAtSignsDigitsAndCaseChanges) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_name("home_zip2"), (Words{"home", "zip"}));
  EXPECT_EQ(split_name("daysIll.30-d"), (Words{"days", "ill", "d"}));
  EXPECT_EQ(split_name("ZIP code"), (Words{"zip", "code"}));
  EXPECT_EQ(split_name("7"), Words{});
}

TEST(NamesHarm, ByWholeWords) {
  for (const char* name :
       {"death", "died_30d", "Mortality", "churn", "totalCost", "relapse.1y", "readmission",
        "days ill", "crime-rate", "log_loss", "error", "complaints", "infection", "pancreatitis"}) {
    EXPECT_TRUE(names_harm(name)) << name;
  }
  for (const char* name : {"outcome", "y", "spend", "glossy", "deathless", "costume", "yesterdays",
                           "terror", "visits", ""}) {
    EXPECT_FALSE(names_harm(name)) << name;
  }
}

TEST(NamesHarm, NotWhereAnotherWordTurnsItRound) {
  for (const char* name : {"cost_saved", "days_to_relapse", "deaths_averted", "error_free",
                           "days_survived", "weight_loss", "noRelapse", "days_worked"}) {
    EXPECT_FALSE(names_harm(name)) << name;
  }
}

TEST(DirectionText, NamesTheOutcomeWhereItsNameSaysSomething) {
  EXPECT_EQ(direction_text("deaths", true), "deaths, lower is better");
  EXPECT_EQ(direction_text("spend", false), "spend, higher is better");
  EXPECT_EQ(direction_text("outcome", false), "higher is better");
  EXPECT_EQ(direction_text("", true), "lower is better");
  EXPECT_EQ(direction_text("a\x1b[31m", true).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace cone
