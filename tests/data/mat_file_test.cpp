#include "data/mat_file.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "support/mat_writer.hpp"
#include "support/real_data.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::MatWriter;

LoadedData load_reference(const std::string& name) {
  return load_mat(Context({.threads = 1}),
                  std::string(CONE_SOURCE_DIR) + "/tests/data/files/" + name);
}

LoadedData load_elements(const std::string& elements) {
  const testing::TemporaryFolder folder;
  return load_mat(Context({.threads = 1}), folder.write("data.mat", MatWriter::file(elements)));
}

std::vector<std::string> mat_faults(const std::string& elements) {
  std::vector<std::string> texts;
  try {
    load_elements(elements);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    for (const Fault& fault : error.faults()) {
      EXPECT_NE(fault.place.file.find("data.mat"), std::string::npos);
      EXPECT_FALSE(fault.advice.empty());
      texts.push_back(fault.place.item + " " + fault.what);
    }
  }
  return texts;
}

/// Two linked nodes with one feature.
std::string network() { return MatWriter::dense("Network", 2, 2, {0, 1, 1, 0}); }
std::string features() { return MatWriter::dense("Attributes", 2, 1, {1, 2}); }

TEST(MatFile, ReadsWhatScipyWrites) {
  const LoadedData loaded = load_reference("sparse.mat");
  const Dataset& data = loaded.observed;
  EXPECT_EQ(data.num_nodes(), 6U);
  EXPECT_EQ(data.ids[5], "5");
  EXPECT_EQ(data.graph.num_edges(), 6U);
  const auto neighbours = data.graph.neighbours(3);
  EXPECT_EQ(std::vector<NodeIndex>(neighbours.begin(), neighbours.end()),
            (std::vector<NodeIndex>{1, 2, 4}));
  EXPECT_EQ(data.graph.neighbours(5)[0], 4U);  // stored one way only

  EXPECT_EQ(data.features.names, (std::vector<std::string>{"w0", "w1", "w2", "w3"}));
  EXPECT_EQ(data.features.matrix.num_stored(), 9U);
  const SparseMatrix::Row last = data.features.matrix.sparse().row(5);
  EXPECT_EQ(std::vector(last.columns.begin(), last.columns.end()),
            (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(std::vector(last.values.begin(), last.values.end()), (std::vector<double>{0.5, -8}));

  EXPECT_EQ(data.treatment, (std::vector<std::uint8_t>{0, 1, 0, 1, 1, 0}));
  EXPECT_EQ(data.outcome, (std::vector<double>{0, 11.5, 2.5, 13, 14, -5.75}));
  ASSERT_TRUE(loaded.truth.has_value());
  EXPECT_EQ(loaded.truth->outcomes()(1, 0), 1.0);
  EXPECT_EQ(loaded.truth->outcomes()(0, 1), 10.0);
}

TEST(MatFile, LoadsTheSameDataFromEveryWayOfStoringIt) {
  const std::string checksum = load_reference("sparse.mat").observed.checksum();
  for (const char* name : {"sparse_compressed.mat", "dense.mat", "dense_compressed.mat"}) {
    EXPECT_EQ(load_reference(name).observed.checksum(), checksum) << name;
  }
}

TEST(MatFile, CountsAnEdgeStoredInBothDirectionsOnceAndNotAsARepeat) {
  const EdgeListReport report = load_reference("sparse.mat").edges;
  EXPECT_EQ(report.num_lines, 12U);  // five edges twice, one once, one self loop
  EXPECT_EQ(report.num_edges, 6U);
  EXPECT_EQ(report.num_self_loops, 1U);
  EXPECT_EQ(report.num_merged, 0U);
}

TEST(MatFile, WithoutTreatmentsIsARawNetwork) {
  const LoadedData loaded = load_reference("raw_network.mat");
  EXPECT_FALSE(loaded.observed.has_log());
  EXPECT_TRUE(loaded.observed.outcome.empty());
  EXPECT_FALSE(loaded.truth.has_value());
  EXPECT_EQ(loaded.observed.graph.num_edges(), 6U);
}

TEST(MatFile, PrefersTheReducedVocabularyWhicheverComesFirst) {
  const std::string reduced = MatWriter::dense("X_100", 2, 1, {7, 8});
  for (const std::string& elements :
       {network() + features() + reduced, reduced + features() + network()}) {
    EXPECT_EQ(load_elements(elements).observed.features.matrix.row(0).sparse.values[0], 7.0);
  }
}

TEST(MatFile, DropsStoredZerosAndRoomForMoreEntries) {
  const std::string sparse =
      MatWriter::sparse("Attributes", 2, 3, {0, 1, 0, 1, 0, 0}, {0, 2, 2, 4}, {0, 5, 6, 0, 99, 99});
  const SparseMatrix matrix = load_elements(network() + sparse).observed.features.matrix.sparse();
  const SparseMatrix expected(3, {0, 1, 2}, {2, 0}, {6, 5});
  EXPECT_EQ(std::vector(matrix.offsets().begin(), matrix.offsets().end()),
            std::vector(expected.offsets().begin(), expected.offsets().end()));
  EXPECT_EQ(std::vector(matrix.columns().begin(), matrix.columns().end()),
            std::vector(expected.columns().begin(), expected.columns().end()));
  EXPECT_EQ(std::vector(matrix.values().begin(), matrix.values().end()),
            std::vector(expected.values().begin(), expected.values().end()));
}

TEST(MatFile, ListsAllFaultsTogether) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto faults = mat_faults(MatWriter::dense("Network", 2, 2, {0, nan, 1, 0}) +
                                 MatWriter::dense("Attributes", 3, 1, {1, 2, 3}) +
                                 MatWriter::dense("T", 2, 1, {2, 0.5}) +
                                 MatWriter::dense("Y1", 1, 2, {-1e200, infinity}));
  EXPECT_EQ(faults, (std::vector<std::string>{
                        "Y0 is missing",
                        "Attributes is 3 × 1, must have 2 rows, one per node of Network",
                        "Network is nan at (2, 1): it is not finite",
                        "T is 2 at (1, 1): a .mat file holds two arms, 0 and 1",
                        "T is 0.5 at (2, 1): must be 0 or 1",
                        "T is 1 for every node",
                        "Y1 is -1e+200 at (1, 1): it is too large to compute with",
                        "Y1 is inf at (1, 2): it is not finite",
                    }));
}

TEST(MatFile, SaysWhichVariableIsMissingOrOfTheWrongShape) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(mat_faults(""), (Texts{"Network is missing", "Attributes is missing"}));
  EXPECT_EQ(mat_faults(network() + features() + MatWriter::dense("Y1", 2, 1, {0, 1})),
            (Texts{"T is missing", "Y0 is missing"}));
  EXPECT_EQ(mat_faults(features() + MatWriter::dense("Network", 2, 1, {0, 1})),
            (Texts{"Network is 2 × 1, must be square"}));
  EXPECT_EQ(mat_faults(network() + network() + features()),
            (Texts{"Network is in the file twice"}));
  const std::string outcomes =
      MatWriter::dense("Y1", 2, 1, {0, 1}) + MatWriter::dense("Y0", 2, 2, {0, 1, 2, 3});
  EXPECT_EQ(mat_faults(network() + features() + MatWriter::dense("T", 1, 2, {0, 0}) + outcomes),
            (Texts{"Y0 is 2 × 2, must be 2 × 1, one value per node of Network",
                   "T is 0 for every node"}));
}

TEST(MatFile, RefusesVariablesThatAreNotRealMatrices) {
  const auto network_of = [](std::uint32_t flags, const std::vector<std::int32_t>& shape) {
    return MatWriter::element(MatWriter::kMatrix, MatWriter::description("Network", flags, shape)) +
           features();
  };
  const auto first = [](const std::string& elements) {
    const auto faults = mat_faults(elements);
    return faults.empty() ? "" : faults.front();
  };
  EXPECT_EQ(first(network_of(MatWriter::kCellClass, {2, 2})), "Network is not numeric");
  EXPECT_EQ(first(network_of(MatWriter::kDoubleClass | 0x0800U, {2, 2})),
            "Network has complex numbers");
  EXPECT_EQ(first(network_of(MatWriter::kDoubleClass, {2, 2, 3})),
            "Network has 3 dimensions, must have 2");
  EXPECT_EQ(first(MatWriter::dense("Network", 0, 0, {})), "Attributes is missing");
  EXPECT_EQ(first(MatWriter::dense("Network", 0, 0, {}) +
                  MatWriter::dense("Attributes", 0, 2147483647, {})),
            "Attributes is empty (0 × 2147483647)");
}

struct RealNetwork {
  const char* file;
  std::size_t num_nodes, num_edges, num_words, num_entries;
};

TEST(MatFile, ReadsThePublicNetworks) {
  for (const RealNetwork& expected : {RealNetwork{"BlogCatalog.mat", 5196, 171743, 8189, 369435},
                                      RealNetwork{"Flickr.mat", 7575, 239738, 12047, 182517}}) {
    const auto path = testing::find_real_data(expected.file);
    if (!path) GTEST_SKIP() << testing::real_data_advice(expected.file);
    const LoadedData loaded = load_mat(Context({.threads = 2}), *path);
    EXPECT_EQ(loaded.observed.num_nodes(), expected.num_nodes);
    EXPECT_EQ(loaded.observed.graph.num_edges(), expected.num_edges);
    EXPECT_EQ(loaded.edges.num_lines, 2 * expected.num_edges);
    EXPECT_EQ(loaded.observed.features.matrix.rows(), expected.num_nodes);
    EXPECT_EQ(loaded.observed.features.matrix.cols(), expected.num_words);
    EXPECT_EQ(loaded.observed.features.matrix.num_stored(), expected.num_entries);
    EXPECT_FALSE(loaded.observed.has_log());
  }
}

}  // namespace
}  // namespace cone
