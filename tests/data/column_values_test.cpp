// How single values of a table are read: levels called none, yes and no, numbers too small to
// compute with, ids of units in several rows, edges to unknown ids.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using ColumnNames = std::vector<std::string>;

/// Lines of treatment, outcome and x.
template <class Outcome, class Feature>
std::string lines_of(const Outcome& outcome, const Feature& feature, int num_lines = 40) {
  std::string text = "treatment,outcome,x\n";
  for (int i = 0; i < num_lines; ++i) {
    text += fmt::format("{},{},{}\n", i % 2, outcome(i), feature(i));
  }
  return text;
}

LoadedData load_lines(const std::string& text, const LoadOptions& options = {}) {
  return load_dataset(Context({.threads = 1}), MemoryFiles({{"nodes.csv", text}}), options);
}

std::string fault_of_lines(const std::string& text, const LoadOptions& options = {}) {
  const auto faults = testing::faults_of([&] { load_lines(text, options); });
  return faults.empty() ? "no fault" : faults[0];
}

std::string notes_of(const LoadedData& data) {
  return fmt::format("{}\n{}", fmt::join(data.notes, "\n"), fmt::join(data.warnings, "\n"));
}

const auto kSomeOutcome = [](int i) { return i * i % 7; };
const auto kSomeFeature = [](int i) { return i * 13 % 11; };

TEST(ColumnValues, NoneIsALevel) {
  const std::string text = lines_of(kSomeOutcome, [](int i) {
    return i % 4 == 0 ? "none" : i % 4 == 1 ? "None" : "b";
  });
  const LoadedData data = load_lines(text);
  EXPECT_EQ(data.observed.features.names, (ColumnNames{"x=None", "x=b", "x=none"}));
  EXPECT_EQ(load_lines(text, {.missing = MissingPolicy::kDrop}).observed.num_nodes(), 40U);
  EXPECT_NE(
      fault_of_lines(
          lines_of(kSomeOutcome,
                   [](int i) { return i % 4 == 0 ? std::string("none") : std::to_string(i); }))
          .find("leave the cells empty where the value is missing ('none' is read as a value)"),
      std::string::npos);
}

TEST(ColumnValues, YesAndNoAreAnOutcome) {
  for (const auto& [yes, no] : {std::pair{"yes", "no"}, {"Y", "n"}, {"YES", "No"}}) {
    const LoadedData data =
        load_lines(lines_of([&](int i) { return i % 3 == 0 ? yes : no; }, kSomeFeature));
    EXPECT_EQ(data.observed.outcome[3], 1);
    EXPECT_EQ(data.observed.outcome[4], 0);
    EXPECT_NE(notes_of(data).find("the outcome 'outcome' is yes or no: yes is coded as 1, no as 0"),
              std::string::npos);
  }
  EXPECT_NE(
      fault_of_lines(lines_of([](int i) { return i % 3 == 0 ? "died" : "lived"; }, kSomeFeature))
          .find("'died' is not a number (40 of 40 lines have such a value, this one being the "
                "first); give the outcome as a number, such as 1 for the event"),
      std::string::npos);
  EXPECT_NE(fault_of_lines(
                lines_of([](int i) { return i % 3 == 0 ? std::string("no") : std::to_string(i); },
                         kSomeFeature))
                .find("'no' is mixed with numbers"),
            std::string::npos);
}

TEST(ColumnValues, NumbersWhoseSquaresVanishAreRefused) {
  const auto tiny = [](int i) { return fmt::format("{}e-200", i * i % 7); };
  EXPECT_NE(fault_of_lines(lines_of(tiny, kSomeFeature))
                .find("column outcome: all values are smaller than 1e-100: their squares underflow "
                      "to 0; rescale the column"),
            std::string::npos);
  EXPECT_NE(fault_of_lines(lines_of(kSomeOutcome, tiny)).find("column x: all values are smaller"),
            std::string::npos);
  EXPECT_NE(
      fault_of_lines(lines_of(kSomeOutcome, [](int i) { return fmt::format("{}e-200", i + 1); }),
                     {.weight = "x"})
          .find("column weight: all values are smaller"),
      std::string::npos);
  // Zeros, a small number among others, and numbers that are only small.
  for (const auto& outcome : std::vector<std::function<std::string(int)>>{
           [](int) { return "0"; }, [](int i) { return i == 5 ? "1e-300" : std::to_string(i % 3); },
           [](int i) { return fmt::format("{}e-90", i * 5 % 9); }}) {
    EXPECT_EQ(fault_of_lines(lines_of(outcome, kSomeFeature)), "no fault");
    EXPECT_EQ(fault_of_lines(lines_of(kSomeOutcome, outcome)), "no fault");
  }
}

TEST(ColumnValues, TextsOfUnitsInSeveralRowsAreNamed) {
  const auto unit = [](int i) { return fmt::format("man {}", i / 4); };
  const std::string text = lines_of(kSomeOutcome, unit, 200);
  EXPECT_NE(notes_of(load_lines(text))
                .find("column 'x' looks like the id of a unit observed in several rows (50 values "
                      "in 200 rows): if so, use --cluster x"),
            std::string::npos);
  EXPECT_EQ(notes_of(load_lines(text, {.cluster = "x"})).find("id of a unit"), std::string::npos);
  // A category: frequent and rare levels.
  const auto level = [](int i) { return fmt::format("town {}", i * i % 97 * (i % 3) / 2); };
  EXPECT_EQ(notes_of(load_lines(lines_of(kSomeOutcome, level, 400))).find("id of a unit"),
            std::string::npos);
}

TEST(ColumnValues, EdgesToUnknownIdsCanBeLeftOut) {
  testing::Files files = testing::valid_files();
  files["edges.csv"] = "source,target\na,b\na,x\ny,b\nx,y\n\"c,d\",b\nz,b\nw,w\n";
  const auto faults = testing::faults_of([&] { testing::load_files(files); });
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(
      faults[0],
      "edges.csv:3, column target: 5 edges to 4 ids that are not in nodes.csv ('x', 'y', 'z', "
      "...); add the nodes, or drop these edges with --unknown-edges drop");
  for (const std::size_t chunk_bytes : {1, 1000}) {
    const LoadedData data = testing::load_files(
        files, {.unknown_edges = UnknownEdges::kDrop, .csv = {.chunk_bytes = chunk_bytes}});
    EXPECT_EQ(data.observed.graph.num_edges(), 2U);
    EXPECT_NE(notes_of(data).find("dropped 5 edges to 4 ids that are not in nodes.csv ('x', 'y', "
                                  "'z', ...), of 7 in total"),
              std::string::npos)
        << notes_of(data);
  }
  // Edges of entirely other nodes.
  files["edges.csv"] = "source,target\nx,y\ny,z\n";
  const auto none_left = testing::faults_of(
      [&] { testing::load_files(files, {.unknown_edges = UnknownEdges::kDrop}); });
  ASSERT_EQ(none_left.size(), 1U);
  EXPECT_NE(none_left[0].find("no edge remains"), std::string::npos) << none_left[0];
}

}  // namespace
}  // namespace cone
