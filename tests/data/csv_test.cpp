#include "data/csv.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Everything a file gives: header, fields, lines and faults.
struct Reading {
  std::vector<std::string> header;
  Rows rows;
  std::vector<std::uint64_t> lines;
  std::vector<std::string> faults;

  bool operator==(const Reading&) const = default;
};

Reading read(std::string_view text, const CsvOptions& options = {}, int num_threads = 2) {
  const testing::TemporaryFolder folder;
  const Context context({.threads = num_threads});
  FaultList faults;
  Reading reading;
  const auto file = CsvFile::open(context, folder.write("t.csv", text), options, faults);
  if (file != nullptr) {
    reading.header = file->header();
    std::vector<Reading> chunks(file->chunks().size());
    file->for_each_chunk(context, "test", faults, [&](std::size_t number, CsvRecords& records) {
      while (records.next()) {
        std::vector<std::string>& row = chunks[number].rows.emplace_back();
        for (std::size_t j = 0; j < file->header().size(); ++j) row.emplace_back(records[j]);
        chunks[number].lines.push_back(records.line());
        EXPECT_EQ(file->line_of_record(records.record()), records.line());
      }
    });
    for (const Reading& chunk : chunks) {
      reading.rows.insert(reading.rows.end(), chunk.rows.begin(), chunk.rows.end());
      reading.lines.insert(reading.lines.end(), chunk.lines.begin(), chunk.lines.end());
    }
  }
  for (Fault fault : faults.listed()) {
    fault.place.file = std::filesystem::path(fault.place.file).filename().string();
    reading.faults.push_back(fault.to_string());
  }
  return reading;
}

TEST(Csv, LineEndsByteOrderMarkAndTrailingBlankLinesDoNotMatter) {
  const Rows expected = {{"1", "2"}, {"3", "4"}};
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,2\r\n3,4",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4\n\n\r\n\n", "\"a\",\"b\"\n\"1\",\"2\"\r\n\"3\",4\n\n"}) {
    const Reading reading = read(text);
    EXPECT_EQ(reading.header, (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(reading.rows, expected) << text;
    EXPECT_TRUE(reading.faults.empty()) << text;
  }
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  const Reading reading =
      read("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\r\nlines\",\"\"\"\"\nlast,\n");
  const Rows expected = {{"x,y", "say \"hi\""}, {"two\r\nlines", "\""}, {"last", ""}};
  EXPECT_EQ(reading.rows, expected);
  EXPECT_EQ(reading.lines, (std::vector<std::uint64_t>{2, 3, 5}));
}

TEST(Csv, AHeaderAloneHasNoRecords) {
  EXPECT_EQ(read("a,b").header.size(), 2U);
  EXPECT_TRUE(read("a,b").faults.empty());
  EXPECT_TRUE(read("a,b\n\n").rows.empty());
}

TEST(Csv, HashStartsNoComment) { EXPECT_EQ(read("a,b\n#1,2\n").rows[0][0], "#1"); }

TEST(Csv, AnEmptyLastFieldCounts) {
  EXPECT_EQ(read("a,b\n1,").rows, (Rows{{"1", ""}}));
  EXPECT_EQ(read("a,b\n\"1\",").rows, (Rows{{"1", ""}}));
  EXPECT_EQ(read("a,b\n,\n").rows, (Rows{{"", ""}}));
}

TEST(Csv, TheHeaderTellsTheSeparator) {
  const Rows expected = {{"1", "2,5"}, {"3", "x"}};
  EXPECT_EQ(read("a;b\n1;2,5\n3;x\n").rows, expected);
  EXPECT_EQ(read("a\tb\n1\t2,5\n3\tx\n").rows, expected);
  EXPECT_EQ(read("\"a;b;c\",b\n1,2\n").header, (std::vector<std::string>{"a;b;c", "b"}));
  EXPECT_EQ(read("a;b\n\"1;1\";2\n").rows, (Rows{{"1;1", "2"}}));
}

TEST(Csv, TheFirstNameMayBeEmpty) {
  EXPECT_EQ(read(",a\n1,2\n").header, (std::vector<std::string>{"", "a"}));
  EXPECT_EQ(read("\"\",a\n1,2\n").rows, (Rows{{"1", "2"}}));
}

TEST(Csv, AWrongNumberOfFieldsIsReportedWithItsLineAndTheRestIsRead) {
  const Reading reading = read("a,b\n1,2\n3\n4,5,6\n\n7,8\n");
  EXPECT_EQ(reading.rows, (Rows{{"1", "2"}, {"7", "8"}}));
  ASSERT_EQ(reading.faults.size(), 3U);
  EXPECT_TRUE(reading.faults[0].starts_with("t.csv:3: 1 field, but the header has 2"));
  EXPECT_TRUE(reading.faults[1].starts_with("t.csv:4: 3 fields, but the header has 2"));
  EXPECT_TRUE(reading.faults[2].starts_with("t.csv:5: a blank line"));
}

TEST(Csv, LinesAfterQuotedLineEndsAreCountedRight) {
  const Reading reading = read("a,b\n\"1\n\n\",2\n3\n");
  ASSERT_EQ(reading.faults.size(), 1U);
  EXPECT_TRUE(reading.faults[0].starts_with("t.csv:5: 1 field"));
}

struct BadFile {
  const char* name;
  std::string text;
  const char* fault;
};

TEST(Csv, BrokenFilesAreRefusedWithTheReason) {
  using std::string_literals::operator""s;
  const std::vector<BadFile> files = {
      {"empty", "", "the file is empty"},
      {"only a mark", "\xEF\xBB\xBF", "the file is empty"},
      {"UTF-16 with mark", "\xFF\xFEi\0d\0"s, "save as UTF-8"},
      {"UTF-16 without mark", "i\0d\0"s, "save as UTF-8"},
      {"blank header", "\n1,2\n", "the header line is blank"},
      {"a spreadsheet", "PK\x03\x04 and so on", "an archive or a spreadsheet"},
      {"Parquet", "PAR1 and so on", "the file is Parquet"},
      {"unnamed column", "a,,c\n", "column 2 has no name"},
      {"same name twice", "a,b,a\n", "two columns are called 'a'"},
      {"NUL in the header", "a,b\0c\n"s, "has a NUL byte"},
      {"Latin-1 in the header", "a,caf\xE9\n", "('caf\\xe9') is not valid UTF-8"},
      {"overlong UTF-8", "a,\xC0\x80\n", "is not valid UTF-8"},
      {"carriage returns only", "a,b\r1,2\r", "has a carriage return"},
      {"open quote in the header", "a,\"b\n1,2\n", "no closing quote"},
      {"stray quote in the header", "a,b\"\n1,2\n", "a quote in the middle"},
      {"open quote", "a,b\n1,\"2\n3,4\n", "t.csv:2: a quoted field has no closing quote"},
      {"stray quote", "a,b\n1,2\n3,4\"\n", "t.csv:3: a quote in the middle"},
      {"text after a quote", "a,b\n\"1\"x,2\n", "t.csv:2: a quote in the middle"},
  };
  for (const BadFile& file : files) {
    const Reading reading = read(file.text);
    ASSERT_EQ(reading.faults.size(), 1U) << file.name;
    EXPECT_NE(reading.faults[0].find(file.fault), std::string::npos)
        << file.name << ": " << reading.faults[0];
  }
}

TEST(Csv, LinesThatAreTooLongAreRefused) {
  const CsvOptions options{.max_record_bytes = 100};
  const std::string wide(200, 'x');
  EXPECT_NE(read("a," + wide + "\n", options).faults.at(0).find("the header line is too long"),
            std::string::npos);
  const Reading reading = read("a,b\n1," + wide + "\n3,4\n", options);
  EXPECT_TRUE(reading.faults.at(0).starts_with("t.csv:2: a line of more than 100 bytes"));
  EXPECT_EQ(reading.rows, (Rows{{"3", "4"}}));
}

TEST(Csv, AMissingFileIsAFault) {
  const Context context;
  FaultList faults;
  EXPECT_EQ(CsvFile::open(context, "no/such/file.csv", {}, faults), nullptr);
  EXPECT_EQ(faults.total(), 1U);
}

TEST(Csv, ChunkSizeAndThreadsChangeNothing) {
  const std::vector<std::string> texts = {
      "a,b\n1,2\n33333333,4\n\n5\n66,77\n8,9,10\n11,12",
      "a,b\n\"1,\n\n\",2\n\"\"\"\",4\nx\"y,1\n\n5,\n\"6\n\"z,7\n8,\n",
      "a,b\n1,2\n3,\"4\n5,6\n7,8\n",
      "a,b\n1,2\n,\n" + std::string(50, 'x') + ",y\n3,4\n\n\n",
  };
  for (const std::string& text : texts) {
    const Reading whole = read(text, {}, 1);
    for (const std::size_t chunk_bytes : {1, 2, 3, 5, 8, 13, 64}) {
      for (const int num_threads : {1, 2, 5}) {
        EXPECT_EQ(read(text, {.chunk_bytes = chunk_bytes}, num_threads), whole)
            << text << "\nchunks of " << chunk_bytes << ", threads " << num_threads;
      }
    }
  }
}

}  // namespace
}  // namespace cone
