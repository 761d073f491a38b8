#include <gtest/gtest.h>

#include "cone/json.hpp"
#include "cone/options.hpp"

namespace cone {
namespace {

struct LimitOptions {
  AutoNumber limit;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("limit", self.limit, "As given, or by the data", more_than(0));
  }
};

TEST(AutoNumber, IsAWordWhereNothingIsGiven) {
  EXPECT_EQ(canonical_text(LimitOptions{}), "limit=auto\n");
  EXPECT_EQ(canonical_text(LimitOptions{2.5}), "limit=2.5\n");
  EXPECT_EQ(option_json(LimitOptions{})["limit"], "auto");
  EXPECT_EQ(option_json(LimitOptions{10})["limit"], 10.0);
}

TEST(AutoNumber, ReadsBackFromTextAndJson) {
  for (const LimitOptions& options : {LimitOptions{}, LimitOptions{0.25}}) {
    const auto again = parse_canonical_text<LimitOptions>(canonical_text(options));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->limit, options.limit);
    EXPECT_EQ(take_options<LimitOptions>(option_json(options), "").limit, options.limit);
  }
  EXPECT_FALSE(parse_canonical_text<LimitOptions>("limit=much\n").has_value());
  EXPECT_FALSE(take_options<LimitOptions>({{"limit", nullptr}}, "").limit.has_value());
}

TEST(AutoNumber, HasItsRangeOnlyWhereItIsGiven) {
  EXPECT_TRUE(option_faults(LimitOptions{}).empty());
  ASSERT_EQ(option_faults(LimitOptions{-1}).size(), 1U);
  EXPECT_EQ(option_faults(LimitOptions{-1})[0].what, "is -1, must be more than 0");
  EXPECT_EQ(option_faults(LimitOptions{std::numeric_limits<double>::quiet_NaN()}).size(), 1U);
  EXPECT_THROW(take_options<LimitOptions>({{"limit", 0}}, ""), Error);
  EXPECT_THROW(take_options<LimitOptions>({{"limit", "much"}}, ""), Error);
}

struct DeclaredOptions {
  Declaration declared;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("declared", self.declared, "Yes, no, or open");
  }
};

TEST(Declaration, IsNullWhereNothingIsDeclaredAndReadsBack) {
  EXPECT_TRUE(option_json(DeclaredOptions{})["declared"].is_null());
  for (const DeclaredOptions& options :
       {DeclaredOptions{}, DeclaredOptions{false}, DeclaredOptions{true}}) {
    const auto again = parse_canonical_text<DeclaredOptions>(canonical_text(options));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->declared, options.declared);
    EXPECT_EQ(take_options<DeclaredOptions>(option_json(options), "").declared, options.declared);
  }
  EXPECT_THROW(take_options<DeclaredOptions>({{"declared", "yes"}}, ""), Error);
}

}  // namespace
}  // namespace cone
