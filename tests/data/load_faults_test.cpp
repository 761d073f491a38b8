#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using testing::faults_of;
using testing::Files;
using testing::load_files;

struct BadFolder {
  Files files;
  std::vector<std::string> starts;  ///< how each listed fault begins
};

Files with_nodes(const std::string& nodes) {
  return {{"nodes.csv", nodes}, {"edges.csv", "source,target\n"}};
}

Files with_edges(const std::string& edges) {
  return {{"nodes.csv", "id,treatment,outcome\na,0,1\nb,1,2\n"}, {"edges.csv", edges}};
}

Files with_features(const std::string& features) {
  Files files = with_edges("source,target\n");
  files["features.csv"] = features;
  return files;
}

void expect_faults(const std::vector<BadFolder>& folders) {
  for (const BadFolder& folder : folders) {
    const std::vector<std::string> faults = faults_of([&] { load_files(folder.files); });
    ASSERT_EQ(faults.size(), folder.starts.size())
        << folder.starts[0] << "\ngot: " << (faults.empty() ? "nothing" : faults[0]);
    for (std::size_t k = 0; k < faults.size(); ++k) {
      EXPECT_TRUE(faults[k].starts_with(folder.starts[k]))
          << "expected " << folder.starts[k] << "\ngot      " << faults[k];
    }
  }
}

TEST(LoadFaults, OfTheColumnsOfNodes) {
  expect_faults({
      {with_nodes("id,treatment\na,0\nb,1\n"),
       {"nodes.csv:1: there is no column outcome; add a numeric column with the outcome of each "
        "node, or name it with --outcome"}},
      {with_nodes("id,outcome\na,0\nb,1\n"), {"nodes.csv:1: there is no column treatment; add"}},
      {with_nodes("id,treatmnt,outcome\na,0,1\nb,1,2\n"),
       {"nodes.csv:1: there is no column treatment; did you mean 'treatmnt'? then give "
        "--treatment treatmnt"}},
      {with_nodes("a,0,1.5\nb,1,2\n"),
       {"nodes.csv:1: there is no column treatment; the first line looks like data",
        "nodes.csv:1: there is no column outcome"}},
      {with_nodes("id,treatment,outcome,y0\na,0,1,1\nb,1,1,1\n"),
       {"nodes.csv:1: column y0 is given without y1; give both; if y0 is a feature, rename it"}},
      {with_nodes("id,treatment,outcome,mu1\na,0,1,1\nb,1,1,1\n"),
       {"nodes.csv:1: column mu1 is given without mu0"}},
      {with_nodes("id,treatment,outcome\n"), {"nodes.csv: there are no rows"}},
  });
}

TEST(LoadFaults, OfTreatments) {
  expect_faults({
      {with_nodes("id,treatment,outcome\na,0,1\nb,1,2\nc,,3\n"),
       {"nodes.csv:4, column treatment (c): missing in this line; fill it in, or drop such "
        "lines with --missing drop"}},
      {with_nodes("id,treatment,outcome\na,1,1\nb,1,2\n"),
       {"nodes.csv, column treatment: only one arm is present: 2 treated, 0 untreated"}},
      {with_nodes("id,treatment,outcome\na,0,1\n"),
       {"nodes.csv, column treatment: only one arm is present: 0 treated, 1 untreated"}},
  });
}

TEST(LoadFaults, OfNumbersAreOneMessagePerColumnAndKind) {
  expect_faults({
      {with_nodes("id,treatment,outcome\na,0,\nb,1,NA\nc,1,nan\nd,1,-inf\ne,1,1e999\nf,1,0x10\n"
                  "g,1,1.5x\nh,1,1 5\ni,1,--1\nj,1,1e101\n"),
       {"nodes.csv:2, column outcome (a): missing in 3 of 10 lines, this one being the first; fill",
        "nodes.csv:7, column outcome (f): '0x10' is not a number (4 of 10 lines have such a value",
        "nodes.csv:5, column outcome (d): '-inf' is not finite (2 of 10 lines",
        "nodes.csv:11, column outcome (j): '1e101' is too large to compute with; rescale"}},
      {with_nodes("id,treatment,outcome,mu0,mu1\na,0,1,?,1\nb,1,2,1,1\n"),
       {"nodes.csv:2, column mu0 (a): missing in this line"}},
      {with_nodes("id,treatment,outcome,propensity\na,0,1,50\nb,1,2,60.5\nc,1,1,0\nd,0,1,1\n"),
       {"nodes.csv:2, column propensity (a): '50' is not a probability (2 of 4 lines have such a "
        "value, this one being the first); if these are percentages, divide them by 100",
        "nodes.csv:4, column propensity (c): the propensity is '0': the logged action had "
        "probability zero (2 of 4 lines"}},
      {with_nodes("id,treatment,outcome,age\na,0,1,3\nb,1,2,\n"),
       {"nodes.csv:3, column age (b): missing in this line; fill it in, or use --ignore age, "
        "--missing indicate"}},
  });
}

TEST(LoadFaults, OfManyColumnsAreAFewLines) {
  std::string header = "id,treatment,outcome";
  std::string gaps;
  for (int j = 0; j < 200; ++j) {
    header += fmt::format(",x{}", j);
    gaps += ",NA";
  }
  const auto faults = faults_of(
      [&] { load_files(with_nodes(header + "\na,0,1" + gaps + "\nb,1,2" + gaps + "\n")); });
  ASSERT_EQ(faults.size(), 7U);
  EXPECT_TRUE(faults[0].starts_with("nodes.csv:2, column x0 (a): missing in 2 of 2 lines"));
  EXPECT_TRUE(faults[6].starts_with("nodes.csv: values are missing in 194 more columns: x6,x7,"));
}

TEST(LoadFaults, OfIds) {
  using std::string_literals::operator""s;
  expect_faults({
      {with_nodes("id,treatment,outcome\na,0,1\n\"b\",1,2\n\na,1,2\nb,0,2\n"),
       {"nodes.csv:4: a blank line", "nodes.csv:5, column id (a): the id is already on line 2",
        "nodes.csv:6, column id (b): the id is already on line 3"}},
      {with_nodes("id,treatment,outcome\n,0,1\nb,1,2\n"), {"nodes.csv:2, column id: is empty"}},
      {with_nodes("id,treatment,outcome\na\0,0,1\nb\xFF,1,2\n"s),
       {"nodes.csv:2, column id: 'a\\x00' has a NUL byte",
        "nodes.csv:3, column id: 'b\\xff' is not valid UTF-8"}},
  });
}

TEST(LoadFaults, OfEdges) {
  expect_faults({
      {with_edges("source,target\na,b\na,x\ny,b\n"),
       {"edges.csv:3, column target: 2 edges to 2 ids that are not in nodes.csv ('x', 'y'); add "
        "the nodes, or drop these edges with --unknown-edges drop"}},
      {with_edges("one,two\na,b\n"), {"edges.csv:1: there are no columns source and target; name"}},
      {with_edges("source,target\na,b\na\n"), {"edges.csv:3: 1 field, but the header has 2"}},
      {with_edges(""), {"edges.csv:1: the file is empty"}},
  });
}

TEST(LoadFaults, OfFeatures) {
  Files both = with_features("node,feature,value\n");
  both["features.npz"] = "anything";
  Files unknown_name = with_features("node,feature,value\na,x,1\n");
  unknown_name["feature_names.csv"] = "feature\ny\n";
  Files repeated_name = with_features("node,feature,value\n");
  repeated_name["feature_names.csv"] = "feature\ny\ny\n";
  Files lonely_names = with_edges("source,target\n");
  lonely_names["feature_names.csv"] = "feature\ny\n";
  Files taken_name = with_features("node,feature,value\na,age,1\n");
  taken_name["nodes.csv"] = "id,treatment,outcome,age\na,0,1,1\nb,1,2,1\n";
  expect_faults({
      {with_features("node,feature,value\na,x,1\nb,x,2\na,y,3\na,x,1\n"),
       {"features.csv:5: the same node and feature are already on line 2"}},
      {with_features("node,feature,value\nc,x,1\na,x,inf\nb,,1\n"),
       {"features.csv:2, column node: 'c' is not an id", "features.csv:3, column value (a): 'inf'",
        "features.csv:4, column feature: is empty"}},
      {with_features("node,value\na,1\n"), {"features.csv:1: features.csv has no column feature"}},
      {unknown_name, {"features.csv: the feature 'x' is not in feature_names.csv"}},
      {repeated_name, {"feature_names.csv:3, column feature: the name 'y' is repeated"}},
      {lonely_names, {"feature_names.csv: there is no features.npz or features.csv; add"}},
  });
  EXPECT_NE(faults_of([&] { load_files(both); }).at(0).find("features.npz and features.csv"),
            std::string::npos);
  EXPECT_NE(faults_of([&] { load_files(taken_name); }).at(0).find("'age' is in nodes.csv and"),
            std::string::npos);
}

TEST(LoadFaults, OfAllFilesComeTogetherInOrder) {
  Files files = with_nodes("id,treatment,outcome\na,,x\nb,1,2\nb,0,2\n");
  files["edges.csv"] = "source,target\na,nowhere\n";
  files["features.csv"] = "node,feature,value\na,f,\n";
  expect_faults(
      {{files,
        {"nodes.csv:4, column id", "nodes.csv:2, column treatment", "nodes.csv:2, column outcome",
         "edges.csv:2, column target", "features.csv:2, column value"}}});
}

TEST(LoadFaults, OneBadColumnDoesNotHideAnother) {
  std::string nodes = "id,treatment,outcome,age\n";
  for (int i = 0; i < 50; ++i) {
    nodes += fmt::format("n{},{},?,{}\n", i, i % 2, i == 49 ? "old" : "1");
  }
  const std::vector<std::string> faults = faults_of([&] { load_files(with_nodes(nodes)); });
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_TRUE(faults[0].starts_with("nodes.csv:2, column outcome (n0): missing in 50 of 50 lines"));
  EXPECT_TRUE(faults[1].starts_with("nodes.csv:51, column age: 'old' is not a number (1 of 50"));
}

TEST(LoadFaults, AreTheSameForEveryChunkSizeAndThreadCount) {
  std::string nodes = "id,treatment,outcome,age\n";
  std::string edges = "source,target\n";
  for (int i = 0; i < 60; ++i) {
    const std::string id = i % 7 == 0 ? "\"same\nid\"" : fmt::format("n{}", i);
    nodes += fmt::format("{},{},{},3{}\n", id, i % 4, i % 5 == 0 ? "NA" : "1",
                         i % 11 == 0 ? ",extra" : "");
    edges += fmt::format("n{},n{}\n", i, i + 1);
  }
  for (const std::string& text : {nodes, std::string("id,treatment,outcome\nn1,0,1\nn2,1,1\n")}) {
    const Files files = {{"nodes.csv", text}, {"edges.csv", edges}};
    const auto expected = faults_of([&] { load_files(files, {}, 1); });
    ASSERT_FALSE(expected.empty());
    for (const std::size_t chunk_bytes : {1, 10, 100}) {
      for (const int num_threads : {1, 2, 5}) {
        EXPECT_EQ(faults_of([&] {
                    load_files(files, {.csv = {.chunk_bytes = chunk_bytes}}, num_threads);
                  }),
                  expected);
      }
    }
  }
}

TEST(LoadFaults, ShowTheUsersTextEscapedAndCut) {
  const std::string long_text(500, 'z');
  const auto faults =
      faults_of([&] { load_files(with_edges("source,target\n\x1B[2J,b\na," + long_text + "\n")); });
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].find("'\\x1b[2J'"), std::string::npos);
  EXPECT_NE(faults[0].find("zzz...'"), std::string::npos);
  EXPECT_LT(faults[0].size(), 300U);
}

TEST(LoadFaults, APathToNothingIsRefused) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(faults_of([&] { load_dataset(Context({.threads = 1}), folder.path() / "none"); })
                .at(0)
                .find("does not exist"),
            std::string::npos);
  // Longer than a file system allows: an error to look at, not merely absent.
  EXPECT_THROW(load_dataset(Context({.threads = 1}), std::string(5000, 'x')), Error);
}

}  // namespace
}  // namespace cone
