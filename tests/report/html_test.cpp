#include "report/html.hpp"

#include <string>

#include <gtest/gtest.h>

namespace cone::report {
namespace {

TEST(Html, EscapesArguments) {
  EXPECT_EQ(html("<b>{}</b>", "<img src=x onerror='alert(1)'> & \"co\"").markup(),
            "<b>&lt;img src=x onerror=&#39;alert(1)&#39;&gt; &amp; &quot;co&quot;</b>");
}

TEST(Html, TakesMarkupAsItIs) {
  EXPECT_EQ(html("<p>{}</p>", html("<i>{}</i>", std::string("a<b"))).markup(),
            "<p><i>a&lt;b</i></p>");
  EXPECT_EQ(html("{} {:.2f}", 3, 0.125).markup(), "3 0.12");
}

TEST(Html, KeepsLettersOfEveryScript) {
  EXPECT_EQ(Html::text("Zürich 東京 😀 ا").markup(), "Zürich 東京 😀 ا");
}

TEST(Html, ReplacesDirectionOverrides) {
  EXPECT_EQ(Html::text("a\u202Eb\u2066c\u200Fd").markup(), "a\\u202eb\\u2066c\\u200fd");
}

TEST(Html, ReplacesControlsAndInvalidBytes) {
  EXPECT_EQ(Html::text(std::string("a\0b\x1b", 4)).markup(), "a\\x00b\\x1b");
  EXPECT_EQ(Html::text("\xff\xc0\xaf").markup(), "\\xff\\xc0\\xaf");
  EXPECT_EQ(Html::text("\xe2\x82").markup(), "\\xe2\\x82");           // ends within a character
  EXPECT_EQ(Html::text("\xed\xa0\x80").markup(), "\\xed\\xa0\\x80");  // half of a pair
}

}  // namespace
}  // namespace cone::report
