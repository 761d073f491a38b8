#include "cone/load.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using testing::Files;
using testing::load_files;
using testing::valid_files;

std::vector<double> dense_row(const FeatureMatrix& matrix, std::size_t i) {
  std::vector<double> values(matrix.cols(), 0.0);
  matrix.row(i).for_each([&](std::uint32_t j, double value) { values[j] = value; });
  return values;
}

TEST(LoadDataset, ReadsEveryColumnAndFile) {
  const LoadedData loaded = load_files(valid_files());
  const Dataset& data = loaded.observed;
  ASSERT_EQ(data.num_nodes(), 4U);
  EXPECT_EQ(data.ids[2], "c,d");
  EXPECT_EQ(data.ids.find("\xC3\xA9"), 3U);
  EXPECT_EQ(data.treatment, (std::vector<std::uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(data.outcome, (std::vector<double>{1.5, -2e-3, 7, 4}));
  EXPECT_EQ(arm_column(data.propensity->view(), 1), (std::vector<double>{0.25, 0.5, 1, 0}));
  EXPECT_EQ(arm_column(data.mu->view(), 1), (std::vector<double>{2, 2, 2, 2}));
  ASSERT_TRUE(loaded.truth.has_value());
  EXPECT_EQ(loaded.truth->outcomes()(0, 1), 2.5);
  EXPECT_EQ(data.features.names,
            (std::vector<std::string>{"age", "height, cm", "word two", "word one", "zero"}));
  EXPECT_EQ(dense_row(data.features.matrix, 0), (std::vector<double>{30, 0, 0, 1, 0}));
  EXPECT_EQ(dense_row(data.features.matrix, 1), (std::vector<double>{0, 180.5, 2, 0.5, 0}));
  EXPECT_EQ(dense_row(data.features.matrix, 3), (std::vector<double>{0, 0, 0, 0, 0}));
}

TEST(LoadDataset, StoresNumericFeaturesDenselyAndNoZerosOfCounts) {
  const LoadedData loaded = load_files(valid_files());
  const FeatureMatrix& matrix = loaded.observed.features.matrix;
  EXPECT_EQ(std::vector(matrix.dense_columns().begin(), matrix.dense_columns().end()),
            (std::vector<std::uint32_t>{0, 1}));
  for (const double value : matrix.sparse().values()) EXPECT_NE(value, 0.0);
}

TEST(LoadDataset, MergesDirectionsAndRepeatsAndCountsThem) {
  const LoadedData loaded = load_files(valid_files());
  EXPECT_EQ(loaded.observed.graph.num_edges(), 3U);
  EXPECT_EQ(loaded.observed.graph.degree(0), 2U);
  EXPECT_EQ(loaded.edges.num_lines, 5U);
  EXPECT_EQ(loaded.edges.num_self_loops, 1U);
  EXPECT_EQ(loaded.edges.num_merged, 1U);
}

TEST(LoadDataset, NeedsNeitherFeaturesNorEdgesNorOptionalColumns) {
  const LoadedData loaded = load_files(
      {{"nodes.csv", "outcome,id,treatment\n1,x,1\n2,y,0\n"}, {"edges.csv", "target,source\n"}});
  EXPECT_EQ(loaded.observed.graph.num_edges(), 0U);
  EXPECT_EQ(loaded.observed.features.matrix.rows(), 2U);
  EXPECT_EQ(loaded.observed.features.matrix.cols(), 0U);
  EXPECT_FALSE(loaded.observed.propensity.has_value());
  EXPECT_FALSE(loaded.truth.has_value());
}

TEST(LoadDataset, FeatureNamesFixTheOrderOfTheFeatureList) {
  Files files = valid_files();
  files["feature_names.csv"] = "feature\nnever used\nword one\nzero\nword two\n";
  const LoadedData loaded = load_files(files);
  EXPECT_EQ(loaded.observed.features.names,
            (std::vector<std::string>{"age", "height, cm", "never used", "word one", "zero",
                                      "word two"}));
  EXPECT_EQ(dense_row(loaded.observed.features.matrix, 1),
            (std::vector<double>{0, 180.5, 0, 0.5, 0, 2}));
}

TEST(LoadDataset, ChunkSizeAndThreadsChangeNothing) {
  const std::string checksum = load_files(valid_files(), {}, 1).observed.checksum();
  for (const std::size_t chunk_bytes : {1, 7, 30, 200}) {
    for (const int num_threads : {1, 2, 5}) {
      const LoadedData loaded =
          load_files(valid_files(), {.csv = {.chunk_bytes = chunk_bytes}}, num_threads);
      EXPECT_EQ(loaded.observed.checksum(), checksum) << chunk_bytes << ' ' << num_threads;
    }
  }
}

TEST(LoadPolicyTable, FollowsTheOrderOfTheNodes) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("policy.csv", "half,id,all\n0.5,1,1\n.25,0,1.0\n");
  Dataset data;
  data.ids = IdTable::numbered(2);
  const PolicyTable table = load_policy_table(Context({.threads = 2}), path, data);
  EXPECT_EQ(table.names, (std::vector<std::string>{"half", "all"}));
  EXPECT_EQ(arm_column(table.probabilities[0].view(), 1), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(arm_column(table.probabilities[1].view(), 1), (std::vector<double>{1, 1}));
}

TEST(LoadPolicyTable, ListsEveryFault) {
  const testing::TemporaryFolder folder;
  Dataset data;
  data.ids = IdTable::numbered(3);
  const auto faults = [&](const char* text) {
    const auto path = folder.write("policy.csv", text);
    return testing::faults_of([&] { load_policy_table(Context({.threads = 2}), path, data); });
  };
  const std::vector<std::string> many = faults("id,p\n0,1.5\n0,NA\n7,0.5\n1,0.5\n");
  ASSERT_EQ(many.size(), 5U);
  EXPECT_TRUE(many[0].starts_with("policy.csv:2, column p (0): '1.5' is not a probability"));
  EXPECT_TRUE(many[1].starts_with("policy.csv:3, column p (0): the value is missing ('NA')"));
  EXPECT_TRUE(many[2].starts_with("policy.csv:4, column id: '7' is not a node of the data"));
  EXPECT_TRUE(many[3].starts_with("policy.csv:3, column id (0): the id is already on line 2"));
  EXPECT_TRUE(many[4].starts_with("policy.csv (2): the node has no row"));

  EXPECT_TRUE(faults("id\n0\n1\n2\n").at(0).starts_with("policy.csv:1: there is no policy column"));
  EXPECT_TRUE(faults("id,p,p\n").at(0).starts_with("policy.csv:1: two columns are called 'p'"));
  EXPECT_TRUE(faults("p\n1\n").at(0).starts_with("policy.csv:1: policy.csv has no column id"));
  EXPECT_TRUE(faults("id,p\n").at(0).starts_with("policy.csv: there are no rows"));
}

}  // namespace
}  // namespace cone
