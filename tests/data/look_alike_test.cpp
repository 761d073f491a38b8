#include "data/look_alike.hpp"

#include <gtest/gtest.h>

namespace cone::load {
namespace {

TEST(LookAlike, IgnoresDifferencesThatReadersDoNotSee) {
  EXPECT_TRUE(look_alike("caf\u00E9", "cafe\u0301"));
  EXPECT_TRUE(look_alike("ti\u1EBFng", "tie\u0302\u0301ng")) << "two marks";
  EXPECT_TRUE(look_alike("\u0439", "\u0438\u0306"));
  EXPECT_TRUE(look_alike("mail", "m\u0430il"));
  EXPECT_TRUE(look_alike("OK", "\u041E\u041A"));
  EXPECT_TRUE(look_alike("mail", "mail\u00A0"));
  EXPECT_TRUE(look_alike("two words", "two\u00A0words"));
  EXPECT_TRUE(look_alike("mail", "\u200Bmail"));
  EXPECT_TRUE(look_alike("mail", "\uFF4Dail"));
  EXPECT_TRUE(look_alike("e-mail", "e\u2011mail"));
  EXPECT_TRUE(look_alike("\u00E9t\u00E9", "\u00C9t\u00E9"));
  EXPECT_TRUE(look_alike("\u0432\u0441\u0435", "\u0412\u0421\u0415")) << "letter case of Cyrillic";
  EXPECT_TRUE(look_alike("Mail", "m\u0430il"));
}

TEST(LookAlike, DistinguishesVisibleDifferences) {
  EXPECT_FALSE(look_alike("cafe", "caf\u00E9"));
  EXPECT_FALSE(look_alike("\u0432", "b"));
  EXPECT_FALSE(look_alike("a b", "ab"));
  EXPECT_FALSE(look_alike("1", "2"));
  EXPECT_FALSE(look_alike("\U0001F600", "\U0001F601"));
  EXPECT_FALSE(look_alike("", "a"));
}

TEST(LookAlike, NamesCodePoints) {
  EXPECT_EQ(name_difference("caf\u00E9", "cafe\u0301"),
            "'caf\u00E9' has U+00E9 where 'cafe\u0301' has U+0065 U+0301");
  EXPECT_EQ(name_difference("mail", "mail\u00A0"),
            "'mail' has nothing where 'mail\u00A0' has U+00A0");
  EXPECT_EQ(name_difference("abcdef", "ABCDEF"),
            "'abcdef' has U+0061 U+0062 U+0063 U+0064 ... where 'ABCDEF' has U+0041 U+0042 U+0043 "
            "U+0044 ...");
  EXPECT_EQ(name_difference("\U0001F600", "x"), "'\U0001F600' has U+1F600 where 'x' has U+0078");
}

TEST(LookAlike, EveryPairHasASentence) {
  const std::vector<std::string> labels = {"mail", "sms", "m\u0430il", "mail\u00A0"};
  EXPECT_EQ(describe_look_alikes(labels).size(), 3U);
  EXPECT_TRUE(describe_look_alikes(std::vector<std::string>{"0", "1", "10"}).empty());
}

}  // namespace
}  // namespace cone::load
