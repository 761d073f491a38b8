#include "report/labels.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/benchmark_marks.hpp"
#include "report/chart.hpp"

namespace cone::report {
namespace {

std::vector<std::string> labels_of(const std::vector<std::string>& names, std::size_t most) {
  return label_texts(names, most);
}

TEST(Labels, ShortNamesStayAsTheyAre) {
  EXPECT_EQ(labels_of({"treat-all", "b"}, 12), (std::vector<std::string>{"treat-all", "b"}));
}

TEST(Labels, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(labels_of({"campaign_of_spring_2024"}, 13),
            (std::vector<std::string>{"campai…g_2024"}));
}

TEST(Labels, NamesThatDifferInTheMiddleGetNumbers) {
  const std::string head(30, 'a');
  const std::string tail(30, 'z');
  const std::vector<std::string> names = {head + "1" + tail, head + "2" + tail, "b",
                                          head + "1" + tail};
  const std::vector<std::string> labels = labels_of(names, 20);
  EXPECT_EQ(labels[0], "aaaaaaaa…zzzzzzz (1)");
  EXPECT_EQ(labels[1], "aaaaaaaa…zzzzzzz (2)");
  EXPECT_EQ(labels[2], "b");
  EXPECT_EQ(labels[3], labels[0]);  // the same name
}

TEST(Labels, AreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 20; ++i) name += "é東";
  const std::string label = labels_of({name}, 12)[0];
  EXPECT_EQ(label, "é東é東é東…東é東é東");
}

/// The texts of a drawing.
std::multiset<std::string> texts_of(const Chart& chart) {
  std::multiset<std::string> texts;
  const std::string markup = chart.content().markup();
  for (std::size_t at = markup.find("<text"); at != markup.npos;
       at = markup.find("<text", at + 1)) {
    const std::size_t from = markup.find('>', at) + 1;
    texts.insert(markup.substr(from, markup.find('<', from) - from));
  }
  return texts;
}

TEST(BenchmarkMarks, ShareALabelWhereLabelsWouldOverlap) {
  Chart chart("t", "d", 300);
  draw_numbered_marks(
      chart, std::vector<NumberedMark>{
                 {0.0, 264, 1}, {0.9, 30, 2}, {0.01, 262, 3}, {0.05, 258, 4}, {0.5, 264, 5}});
  EXPECT_EQ(texts_of(chart), (std::multiset<std::string>{"1, 3, 4", "2", "5"}));
}

}  // namespace
}  // namespace cone::report
