#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"

#include "support/thread_communicator.hpp"

namespace cone {
namespace {

using testing::run_on_ranks;

class Collectives : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, ::testing::Values(1U, 2U, 3U, 4U));

/// Rank r has r values: r, r + 1, ...
std::vector<double> values_of(std::size_t rank) {
  std::vector<double> out(rank);
  std::iota(out.begin(), out.end(), static_cast<double>(rank));
  return out;
}

std::vector<double> values_of_all(std::size_t size) {
  std::vector<double> out;
  for (std::size_t r = 0; r < size; ++r) {
    for (const double value : values_of(r)) out.push_back(value);
  }
  return out;
}

TEST(SharedContext, KeepsItsThreadsAloneAndHasOneAmongOthers) {
  const Context context({.threads = 3});
  EXPECT_EQ(context.shared_by(Communicator::self()).num_threads(), 3);
  run_on_ranks(
      2, [&](const Communicator& comm) { EXPECT_EQ(context.shared_by(comm).num_threads(), 1); });
}

TEST_P(Collectives, ReduceSumsAndMaxima) {
  const std::size_t size = GetParam();
  const auto sum_of_ranks = static_cast<double>(size * (size - 1) / 2);
  run_on_ranks(size, [&](const Communicator& comm) {
    const auto rank = static_cast<double>(comm.rank());
    std::vector<double> values = {1, rank, -rank};
    comm.allreduce(values);
    EXPECT_EQ(values,
              (std::vector<double>{static_cast<double>(size), sum_of_ranks, -sum_of_ranks}));
    values = {rank, -rank};
    comm.allreduce_max(values);
    EXPECT_EQ(values, (std::vector<double>{static_cast<double>(size - 1), 0}));
    EXPECT_EQ(comm.allreduce(rank), sum_of_ranks);
    EXPECT_EQ(comm.count(comm.rank()), sum_of_ranks);
    EXPECT_TRUE(comm.any(comm.rank() + 1 == size));
    EXPECT_FALSE(comm.any(false));
    std::vector<double> first = {rank};
    std::vector<double> second = {1, 2};
    const std::array<std::span<double>, 2> lists = {first, second};
    comm.allreduce_lists(lists);
    EXPECT_EQ(first, std::vector<double>{sum_of_ranks});
    EXPECT_EQ(second, (std::vector<double>{static_cast<double>(size), 2.0 * size}));
  });
}

TEST_P(Collectives, AreExactForIntegersThatNoDoubleHolds) {
  const std::size_t size = GetParam();
  constexpr std::uint64_t kOdd = (std::uint64_t{1} << 60U) + 1;
  run_on_ranks(size, [&](const Communicator& comm) {
    EXPECT_EQ(comm.allreduce(kOdd), size * kOdd);
    EXPECT_EQ(comm.allreduce_max(kOdd + comm.rank()), kOdd + size - 1);
    EXPECT_EQ(comm.exclusive_scan(kOdd), comm.rank() * kOdd);
    std::vector<std::uint64_t> ranks(size);
    std::iota(ranks.begin(), ranks.end(), kOdd);
    EXPECT_EQ(comm.allgather(kOdd + comm.rank()), ranks);
  });
}

TEST_P(Collectives, ScatterSumsToRanks) {
  const std::size_t size = GetParam();
  run_on_ranks(size, [&](const Communicator& comm) {
    std::vector<std::size_t> begins = {0};  // rank r gets r + 1 of them
    for (std::size_t r = 0; r < size; ++r) begins.push_back(begins.back() + r + 1);
    std::vector<double> values(begins.back());
    std::iota(values.begin(), values.end(), 1.0);
    comm.reduce_scatter(values, begins);
    for (std::size_t k = begins[comm.rank()]; k < begins[comm.rank() + 1]; ++k) {
      EXPECT_EQ(values[k], static_cast<double>((k + 1) * size));
    }
  });
}

TEST_P(Collectives, GatherPartsInTheOrderOfTheRanks) {
  const std::size_t size = GetParam();
  run_on_ranks(size, [&](const Communicator& comm) {
    const std::vector<double> own = values_of(comm.rank());
    const std::vector<double> expected = values_of_all(size);
    EXPECT_EQ(comm.allgatherv(own), expected);
    EXPECT_EQ(comm.allgatherv(std::span<const double>(own)), expected);
    std::vector<std::size_t> begins = {0};
    for (std::size_t r = 0; r < size; ++r) begins.push_back(begins.back() + r);
    const std::size_t root = size - 1;
    std::vector<double> all(comm.rank() == root ? expected.size() : 0);
    comm.gather(root, own, begins, all);
    EXPECT_EQ(all, comm.rank() == root ? expected : std::vector<double>());
    const std::vector<std::string> texts = comm.allgather(std::string(comm.rank(), 'x'));
    for (std::size_t r = 0; r < size; ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
  });
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  run_on_ranks(GetParam(), [&](const Communicator& comm) {
    for (std::size_t root = 0; root < comm.size(); ++root) {
      std::vector<std::uint32_t> values = {static_cast<std::uint32_t>(comm.rank()), 7};
      comm.broadcast(root, values);
      EXPECT_EQ(values, (std::vector<std::uint32_t>{static_cast<std::uint32_t>(root), 7}));
    }
  });
}

TEST_P(Collectives, SendEveryPartToItsRank) {
  const std::size_t size = GetParam();
  run_on_ranks(size, [&](const Communicator& comm) {
    // From r to s: s values of 10 r + s.
    const auto number = [](std::size_t from, std::size_t to) {
      return static_cast<int>(10 * from + to);
    };
    std::vector<std::vector<int>> parts(size);
    for (std::size_t to = 0; to < size; ++to) parts[to].assign(to, number(comm.rank(), to));
    const auto check = [&](const std::vector<std::vector<int>>& received) {
      ASSERT_EQ(received.size(), size);
      for (std::size_t from = 0; from < size; ++from) {
        EXPECT_EQ(received[from], std::vector<int>(comm.rank(), number(from, comm.rank())));
      }
    };
    check(comm.alltoallv(parts));
    check(comm.alltoallv(std::move(parts)));
    for (const std::vector<int>& part : parts) EXPECT_EQ(part.capacity(), 0U);  // NOLINT
  });
}

TEST_P(Collectives, WaitInTheBarrier) {
  std::vector<std::size_t> turns(GetParam(), 0);
  run_on_ranks(GetParam(), [&](const Communicator& comm) {
    for (std::size_t turn = 1; turn <= 100; ++turn) {
      turns[comm.rank()] = turn;
      comm.barrier();
      for (const std::size_t other : turns) EXPECT_EQ(other, turn);
      comm.barrier();
    }
  });
}

/// Every rank has two rows, (rank, row), and wants the rows of all others, the last rank's first.
TEST_P(Collectives, FetchGhostRows) {
  const std::size_t size = GetParam();
  run_on_ranks(size, [&](const Communicator& comm) {
    const auto rank = static_cast<double>(comm.rank());
    std::vector<RemoteRow> remote;
    for (std::uint64_t from = size; from-- > 0;) {
      if (from == comm.rank()) continue;
      for (const std::uint64_t row : {1U, 0U}) remote.push_back({from, row});
    }
    // Only every other ghost row of a table is fetched.
    std::vector<std::uint32_t> ghost_of;
    for (std::uint32_t k = 0; k < remote.size(); ++k) ghost_of.push_back(2 * k);
    const std::size_t num_ghosts = 2 * remote.size();
    const auto rows = comm.connect_ghosts(
        {.num_owned = 2, .num_ghosts = num_ghosts, .remote = remote, .ghost_of = ghost_of});
    EXPECT_EQ(rows->is_distributed(), size > 1);
    Matrix<double> table(2 + num_ghosts, 2, -1);
    for (std::size_t i = 0; i < 2; ++i) {
      table(i, 0) = rank;
      table(i, 1) = static_cast<double>(i);
    }
    const GhostedTable ghosted = rows->with_ghosts(MatrixView<const double>(table.data(), 2, 2));
    rows->fetch(table);
    for (std::size_t k = 0; k < remote.size(); ++k) {
      const std::size_t row = 2 + ghost_of[k];
      const std::array expected = {static_cast<double>(remote[k].rank),
                                   static_cast<double>(remote[k].row)};
      for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_EQ(table(row, c), expected[c]);
        EXPECT_EQ(ghosted.view()(row, c), expected[c]);
        EXPECT_EQ(table(row + 1, c), -1);
      }
    }
  });
}

TEST(ThreadCommunicator, EndsWithTheErrorOfTheRankThatFailed) {
  const auto fail_on_one = [](const Communicator& comm) {
    if (comm.rank() == 1) throw std::invalid_argument("of rank 1");
    comm.barrier();
  };
  EXPECT_THROW(run_on_ranks(3, fail_on_one), std::invalid_argument);
  EXPECT_THROW(run_on_ranks(2,
                            [](const Communicator& comm) {
                              if (comm.rank() == 0) comm.barrier();  // rank 1 never comes
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace cone
