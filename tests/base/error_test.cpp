#include "cone/error.hpp"

#include <gtest/gtest.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

Fault fault_on_line(std::uint64_t line) {
  return {{.file = "nodes.csv", .line = line, .column = "outcome"}, "is missing", "write a number"};
}

TEST(Fault, NamesPlaceCauseAndRemedy) {
  EXPECT_EQ(fault_on_line(12).to_string(),
            "nodes.csv:12, column outcome: is missing; write a number");
  EXPECT_EQ((Fault{{.item = "--folds"}, "is 1", ""}.to_string()), "--folds: is 1");
}

TEST(FaultList, KeepsTheFirstOfEachKindAndCountsTheRest) {
  FaultList faults;
  for (std::uint64_t line = 1; line <= 1000; ++line) faults.add("outcome", fault_on_line(line));
  faults.add("ids", {{.file = "nodes.csv"}, "an id is empty", ""});
  EXPECT_EQ(faults.total(), 1001U);
  EXPECT_EQ(faults.listed().size(), FaultList::kListedPerKind + 1);
  try {
    faults.throw_if_any(ErrorCode::kData);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    // The last of a kind stands for those that are not listed.
    EXPECT_EQ(error.num_unlisted(), 0U);
    EXPECT_NE(error.faults().at(2).what.find("and 997 more like this"), std::string::npos);
    EXPECT_EQ(error.faults().at(0).what, "is missing");
  }
}

TEST(FaultList, ShowsTwoDozenAtMostHoweverManyKinds) {
  FaultList faults;
  for (int kind = 0; kind < 5000; ++kind) faults.add(std::to_string(kind), fault_on_line(1));
  EXPECT_EQ(faults.listed().size(), FaultList::kListed);
  EXPECT_EQ(faults.total(), 5000U);
}

TEST(FaultList, MergingKeepsCountsAndLimits) {
  FaultList a;
  FaultList b;
  for (std::uint64_t line = 1; line <= 15; ++line) a.add("outcome", fault_on_line(line));
  for (std::uint64_t line = 16; line <= 30; ++line) b.add("outcome", fault_on_line(line));
  b.add("ids", {{}, "an id is empty", ""});
  a.merge(b);
  EXPECT_EQ(a.total(), 31U);
  EXPECT_EQ(a.listed().size(), FaultList::kListedPerKind + 1);
}

TEST(Text, GroupsDigitsAndEscapesWhatATerminalWouldObey) {
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a\\u202eb");  // turns the line around
  EXPECT_EQ(printable("a\u009b31m\u200f\u061c\u200b\ufeff\u2028\U000e0041"),
            "a\\u009b31m\\u200f\\u061c\\u200b\\ufeff\\u2028\\U000e0041");
  EXPECT_EQ(printable("Zürich 東京 👩\u200d🔬 می\u200cخواهم"), "Zürich 東京 👩\u200d🔬 می\u200cخواهم");
  EXPECT_EQ(printable_lines("a\tb\nc\x1b\r\xff"), "a\tb\nc\\x1b\\x0d\\xff");
}

TEST(Text, ErrorsHoldNoCommandsForATerminal) {
  const Error error(ErrorCode::kData,
                    {{.file = "a\x1b[31m\n", .column = "b\u009b"}, "is \x07", "d\x7f"});
  EXPECT_STREQ(error.what(), "a\\x1b[31m\\x0a, column b\\u009b: is \\x07; d\\x7f");
}

TEST(Text, NumbersThatAreNoneAreNeverPrinted) {
  EXPECT_EQ(sentence("{:.2f} of {}, {:+.1g}", kNaN, 3, -INFINITY), "– of 3, –");
  EXPECT_EQ(sentence("{:.1f} {} {}", 1.25, "x", std::string("y")), "1.2 x y");
  EXPECT_EQ(csv_line("{},{},{}\n", 0.5, kNaN, 7), "0.5,,7\n");
}

TEST(Text, SentencesAreAlikeButForNumbers) {
  EXPECT_EQ(without_numbers("12 of 1,039.5 nodes"), without_numbers("7 of 30 nodes"));
  EXPECT_NE(without_numbers("12 treated nodes"), without_numbers("12 untreated nodes"));
}

TEST(Text, SuggestsTheClosestName) {
  const std::vector<std::string> names = {"snips", "ips", "dm_ridge"};
  EXPECT_EQ(closest_name("dm_rigde", names), "dm_ridge");
  EXPECT_EQ(closest_name("something", names), "");
  // "ips" is two letters from "t", "x1" and most of what else is short.
  EXPECT_EQ(closest_name("ip", names), "");
  EXPECT_EQ(closest_name("tips", std::vector<std::string>{"ips"}), "");
  // Comparing names of megabytes would take hours.
  EXPECT_EQ(closest_name(std::string(101, 'a'), std::vector{std::string(100, 'a')}), "");
}

TEST(FixedNumber, ShowsDigitsOfAnySize) {
  EXPECT_EQ(fixed_number(0.1234, 3), "0.123");
  EXPECT_EQ(fixed_number(0.1234, 3, Sign::kAlways), "+0.123");
  EXPECT_EQ(fixed_number(-2, 0, Sign::kAlways), "-2");
  EXPECT_EQ(fixed_number(4.82e-31, 33), "4.82e-31");
  EXPECT_EQ(fixed_number(1e-12, 14), "1.00e-12");
  EXPECT_EQ(fixed_number(3e50, 0), "3.0000e+50");
  EXPECT_EQ(fixed_number(std::nan(""), 3), "-");
}

}  // namespace
}  // namespace cone
