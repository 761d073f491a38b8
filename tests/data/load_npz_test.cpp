#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"
#include "data/npz.hpp"
#include "data/write.hpp"

namespace cone {
namespace {

/// A folder of two nodes with one dense feature and the given matrix.
void write_folder(const testing::TemporaryFolder& folder, const SparseMatrix& matrix) {
  testing::write_files(folder, {{"nodes.csv", "id,treatment,outcome,age\na,0,1,30\nb,1,2,0\n"},
                                {"edges.csv", "source,target\n"}});
  write_csr_npz(folder.path() / "features.npz", matrix);
}

const SparseMatrix kMatrix(3, {0, 2, 3}, {0, 2, 1}, {0.5, 0, 2});

TEST(LoadNpz, ColumnsFollowTheDenseOnesAndZerosGo) {
  const testing::TemporaryFolder folder;
  write_folder(folder, kMatrix);
  const FeatureTable features =
      load_dataset(Context({.threads = 2}), folder.path()).observed.features;
  EXPECT_EQ(features.names, (std::vector<std::string>{"age", "f0", "f1", "f2"}));
  const SparseMatrix matrix = features.matrix.to_sparse();
  EXPECT_EQ(std::vector(matrix.columns().begin(), matrix.columns().end()),
            (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(std::vector(matrix.values().begin(), matrix.values().end()),
            (std::vector<double>{30, 0.5, 2}));
}

TEST(LoadNpz, FeatureNamesNameTheColumns) {
  const testing::TemporaryFolder folder;
  write_folder(folder, kMatrix);
  folder.write("feature_names.csv", "feature\nx\n\"y,z\"\nw\n");
  EXPECT_EQ(load_dataset(Context({.threads = 2}), folder.path()).observed.features.names,
            (std::vector<std::string>{"age", "x", "y,z", "w"}));
}

TEST(LoadNpz, WrongSizesAndDamageAreFaultsAmongTheOthers) {
  const testing::TemporaryFolder folder;
  write_folder(folder, SparseMatrix(3, {0, 1, 1, 1}, {0}, {1.0}));
  folder.write("feature_names.csv", "feature\nx\n");
  folder.write("edges.csv", "source,target\na,nowhere\n");
  const auto load = [&] { load_dataset(Context({.threads = 2}), folder.path()); };
  std::vector<std::string> faults = testing::faults_of(load);
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_TRUE(faults[0].starts_with("edges.csv:2"));
  EXPECT_TRUE(faults[1].starts_with("features.npz: 3 rows, but nodes.csv has 2"));
  EXPECT_TRUE(faults[2].starts_with("features.npz: 3 columns, but feature_names.csv has 1"));
  folder.write("features.npz", "not an archive");
  faults = testing::faults_of(load);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_TRUE(faults[1].starts_with("features.npz"));
}

TEST(LoadNpz, AMatFileIsDispatchedByItsExtension) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("broken.mat", "nothing of the kind");
  const auto faults = testing::faults_of([&] { load_dataset(Context({.threads = 1}), path); });
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].find("is not a folder"), std::string::npos);
}

TEST(WriteDataset, ManyFeaturesGoToAnArchiveAndComeBack) {
  constexpr std::size_t kNumNodes = 1000;
  constexpr std::size_t kNumFeatures = 1001;
  Dataset data;
  data.ids = IdTable::numbered(kNumNodes);
  data.graph = build_graph(Context({.threads = 1}), kNumNodes, std::vector<Edge>{{0, 1}});
  for (std::size_t i = 0; i < kNumNodes; ++i) {
    data.treatment.push_back(i % 2);
    data.outcome.push_back(static_cast<double>(i) / 7);
  }
  std::vector<std::uint64_t> offsets(kNumNodes + 1);
  std::vector<std::uint32_t> columns(kNumNodes * kNumFeatures);
  for (std::size_t i = 0; i <= kNumNodes; ++i) offsets[i] = i * kNumFeatures;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k] = static_cast<std::uint32_t>(k % kNumFeatures);
  }
  data.features.matrix = SparseMatrix(kNumFeatures, std::move(offsets), std::move(columns),
                                      std::vector<double>(kNumNodes * kNumFeatures, 0.5));
  for (std::size_t j = 0; j < kNumFeatures; ++j) {
    data.features.names.push_back("word " + std::to_string(j));
  }
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path(), data, nullptr);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "features.npz"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "features.csv"));
  EXPECT_EQ(load_dataset(Context({.threads = 2}), folder.path()).observed.checksum(),
            data.checksum());
}

}  // namespace
}  // namespace cone
