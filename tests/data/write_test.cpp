#include "data/write.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

TEST(WriteDataset, ReadsBackToTheSameChecksum) {
  const LoadedData original = testing::load_files(testing::valid_files());
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path() / "new", original.observed,
                &*original.truth);
  const LoadedData again = load_dataset(Context({.threads = 2}), folder.path() / "new");
  EXPECT_EQ(again.observed.checksum(), original.observed.checksum());
  EXPECT_EQ(again.observed.features.names, original.observed.features.names);
  ASSERT_TRUE(again.truth.has_value());
  EXPECT_EQ(arm_column(again.truth->outcomes(), 0), arm_column(original.truth->outcomes(), 0));
  EXPECT_EQ(arm_column(again.truth->outcomes(), 1), arm_column(original.truth->outcomes(), 1));
  EXPECT_EQ(again.edges.num_lines, original.observed.graph.num_edges());
}

TEST(WriteDataset, KeepsAwkwardIdsNamesAndNumbers) {
  Dataset data;
  for (const char* id : {"plain", "with,comma", "say \"hi\"", "two\r\nlines", " spaced "}) {
    data.ids.insert(id);
  }
  data.graph = build_graph(Context({.threads = 1}), 5, std::vector<Edge>{{0, 1}, {3, 2}, {4, 0}});
  data.treatment = {0, 1, 0, 1, 1};
  data.outcome = {0.1, 1.0 / 3, std::numeric_limits<double>::denorm_min(), -9.87654321e99, -0.0};
  // The second column has no entries: only feature_names.csv can keep it.
  data.features.names = {"b,1", "unused", " a\n"};
  data.features.matrix = SparseMatrix(3, {0, 1, 1, 2, 2, 3}, {2, 0, 0}, {1e-300, 2, 0.1});
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path(), data, nullptr);
  const LoadedData again =
      load_dataset(Context({.threads = 2}), folder.path(), {.csv = {.chunk_bytes = 9}});
  EXPECT_EQ(again.observed.checksum(), data.checksum());
  EXPECT_FALSE(again.truth.has_value());
}

TEST(WriteDataset, KeepsClusters) {
  Dataset data = testing::load_files(testing::valid_files()).observed;
  data.cluster.assign(data.num_nodes(), 1);
  data.cluster[0] = 0;
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path(), data, nullptr);
  LoadOptions options;
  options.cluster = "cluster";
  const LoadedData again = load_dataset(Context({.threads = 1}), folder.path(), options);
  EXPECT_EQ(again.observed.cluster, data.cluster);
  EXPECT_EQ(again.observed.checksum(), data.checksum());
  data.features.names[0] = "cluster";
  EXPECT_THROW(write_dataset(Context({.threads = 1}), folder.path(), data, nullptr), Error);
}

TEST(WriteDataset, RefusesANumericFeatureThatWouldNotReadBackAsOne) {
  LoadedData data = testing::load_files(testing::valid_files());
  data.observed.features.names[0] = "y0";
  const testing::TemporaryFolder folder;
  EXPECT_THROW(write_dataset(Context({.threads = 1}), folder.path(), data.observed, nullptr),
               Error);
}

TEST(WriteDataset, RefusesAFolderWithFeaturesOfOtherData) {
  const LoadedData original = testing::load_files(testing::valid_files());
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path(), original.observed, nullptr);
  Dataset plain = original.observed;
  plain.features = {SparseMatrix(0, std::vector<std::uint64_t>(5, 0), {}, {}), {}};
  EXPECT_THROW(write_dataset(Context({.threads = 1}), folder.path(), plain, nullptr), Error);
  EXPECT_EQ(load_dataset(Context({.threads = 1}), folder.path()).observed.checksum(),
            original.observed.checksum());
}

TEST(WriteDataset, RefusesDataWithoutTreatmentsAndFoldersItCannotCreate) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(write_dataset(Context({.threads = 1}), folder.path(), Dataset{}, nullptr), Error);
  const auto file = folder.write("file", "");
  const LoadedData data = testing::load_files(testing::valid_files());
  try {
    write_dataset(Context({.threads = 1}), file / "below", data.observed, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
  }
}

}  // namespace
}  // namespace cone
