// The sharded readers: the ranks together have what one process reads.

#include "distributed/read_data.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/policy.hpp"

#include "data/collective_error.hpp"
#include "distributed/rank_data.hpp"
#include "support/thread_communicator.hpp"

namespace cone::distributed {
namespace {

using cone::testing::example;
using cone::testing::read_on;
using cone::testing::run_on_ranks;
using cone::testing::TemporaryFolder;

class ShardedReaders : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ShardedReaders, ::testing::Values(1U, 2U, 3U, 4U));

/// Compares all that was read with the dataset of one process.
void expect_same_data(std::size_t size, const std::filesystem::path& folder,
                      std::span<const std::string> policies) {
  const Context context({.threads = 1});
  const LoadedData whole = load_dataset(context, folder);
  const Dataset& data = whole.observed;
  const std::vector<PolicyOnData> resolved = resolve_policies(context, data, policies);
  std::mutex mutex;
  std::vector<NodeIndex> owned;
  run_on_ranks(size, [&](const Communicator& comm) {
    const ReadData read = read_on(comm, folder, {}, policies);
    const NodeRows& rows = read.rows;
    const std::lock_guard lock(mutex);  // nothing below is collective
    EXPECT_EQ(read.global.num_nodes, data.num_nodes());
    EXPECT_EQ(read.global.edges.num_edges, data.graph.num_edges());
    EXPECT_EQ(read.global.arms, data.arms);
    ASSERT_EQ(rows.policies.size(), resolved.size());
    const std::size_t num_numeric = rows.numeric.cols();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto node = static_cast<NodeIndex>(rows.number[i]);
      owned.push_back(node);
      EXPECT_EQ(rows.arm[i], data.treatment[node]);
      EXPECT_EQ(rows.outcome[i], data.outcome[node]);
      const auto neighbours = data.graph.neighbours(node);
      EXPECT_TRUE(std::equal(
          neighbours.begin(), neighbours.end(),
          rows.neighbours.begin() + static_cast<std::ptrdiff_t>(rows.edge_offsets[i]),
          rows.neighbours.begin() + static_cast<std::ptrdiff_t>(rows.edge_offsets[i + 1])));
      const SparseMatrix::Row counts = rows.counts.row(i);
      const auto features = data.features.matrix.row(node);
      for (std::size_t c = 0; c < num_numeric; ++c) {
        EXPECT_EQ(rows.numeric(i, c), features.at(static_cast<std::uint32_t>(c)));
      }
      for (std::size_t k = 0; k < counts.size(); ++k) {
        const auto column = static_cast<std::uint32_t>(num_numeric + counts.columns[k]);
        EXPECT_EQ(counts.values[k], features.at(column));
      }
      for (std::size_t p = 0; p < resolved.size(); ++p) {
        for (std::size_t a = 0; a < data.num_arms(); ++a) {
          EXPECT_EQ(rows.policies[p](i, a), resolved[p].probability(node, a));
        }
      }
    }
  });
  std::ranges::sort(owned);  // every node has one owner
  ASSERT_EQ(owned.size(), data.num_nodes());
  for (std::size_t i = 0; i < owned.size(); ++i) EXPECT_EQ(owned[i], i);
}

TEST_P(ShardedReaders, ReadNumericFeaturesArmsAndPolicyFiles) {
  expect_same_data(GetParam(), example("messages"),
                   std::vector<std::string>{"always:email", "uniform",
                                            (example("messages") / "policy.csv").string()});
}

TEST_P(ShardedReaders, ReadFewNodes) {
  expect_same_data(GetParam(), example("coupons"), std::vector<std::string>{"treat-all"});
}

TEST_P(ShardedReaders, ReadCountFeatures) {
  const TemporaryFolder folder;
  cone::testing::write_simulation(folder, 200);
  expect_same_data(GetParam(), folder.path(), std::vector<std::string>{"treat-none"});
}

/// What all ranks throw; every rank must throw the same.
std::string collective_faults(std::size_t size, const std::filesystem::path& folder,
                              const LoadOptions& options = {}) {
  std::vector<std::string> faults(size);
  run_on_ranks(size, [&](const Communicator& comm) {
    try {
      read_on(comm, folder, options);
    } catch (const CollectiveError& error) {
      faults[comm.rank()] = error.what();
    }
  });
  for (const std::string& of_rank : faults) EXPECT_EQ(of_rank, faults.front());
  return faults.front();
}

TEST_P(ShardedReaders, ReportTheFaultsOfAllRanksWithTheLinesOfTheFile) {
  const TemporaryFolder folder;
  std::string nodes = "id,treatment,outcome,age\n";
  for (int i = 0; i < 60; ++i) {
    nodes += "u" + std::to_string(i == 40 ? 3 : i) + "," + std::to_string(i % 2) + "," +
             (i == 50 ? "many" : "1.5") + ",20\n";
  }
  folder.write("nodes.csv", nodes);
  folder.write("edges.csv", "source,target\nu1,u2\nu1,nobody\n");
  const std::string outcome = collective_faults(GetParam(), folder.path());
  EXPECT_NE(outcome.find("nodes.csv:52"), std::string::npos) << outcome;
  nodes.replace(nodes.find("many"), 4, "2");
  folder.write("nodes.csv", nodes);
  const std::string repeated = collective_faults(GetParam(), folder.path());
  EXPECT_NE(repeated.find("nodes.csv:42"), std::string::npos) << repeated;
  EXPECT_NE(repeated.find("already on line 5"), std::string::npos) << repeated;
  nodes.replace(nodes.rfind("u3,"), 3, "u40,");
  folder.write("nodes.csv", nodes);
  const std::string unknown = collective_faults(GetParam(), folder.path());
  EXPECT_NE(unknown.find("edges.csv:3"), std::string::npos) << unknown;
}

TEST_P(ShardedReaders, RefuseWeightsAndGaps) {
  LoadOptions options;
  options.weight = "age";
  const std::string weight = collective_faults(GetParam(), example("messages"), options);
  EXPECT_NE(weight.find("--weight"), std::string::npos) << weight;
  const TemporaryFolder folder;
  folder.write("nodes.csv", "id,treatment,outcome,age\na,0,1,20\nb,1,2,\nc,1,3,40\n");
  const std::string gap = collective_faults(GetParam(), folder.path());
  EXPECT_NE(gap.find("nodes.csv:3"), std::string::npos) << gap;
}

}  // namespace
}  // namespace cone::distributed
