#include "distributed/partition.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "distributed/blocks.hpp"
#include "distributed/list_ghosts.hpp"
#include "distributed/move_rows.hpp"

namespace cone::distributed {
namespace {

/// The work of a row in an iteration, in units of reading one neighbour's row: its edge ends, its
/// counts and a constant.
std::vector<std::uint32_t> weigh_rows(const NodeRows& rows) {
  constexpr std::uint64_t kOncePerRow = 32;
  constexpr std::uint64_t kMost = 1U << 20U;  // sums must fit into a PetscInt
  std::vector<std::uint32_t> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t degree = rows.edge_offsets[i + 1] - rows.edge_offsets[i];
    out.push_back(static_cast<std::uint32_t>(
        std::min(kMost, kOncePerRow + degree + rows.counts.row(i).size())));
  }
  return out;
}

/// Counts ghosts and work of a partition before any node moves.
class CutCounter {
 public:
  CutCounter(const Communicator& comm, const NodeRows& rows, std::span<const std::uint32_t> weights)
      : comm_(comm),
        rows_(rows),
        weights_(weights),
        blocks_(Blocks::make(comm, rows.size())),
        ghosts_(list_ghosts(rows,
                            [&](std::uint64_t number) { return blocks_.is_own(comm, number); })) {}

  Cut count(std::span<const std::uint32_t> owner) const {
    const std::vector<std::uint32_t> ghost_owners = fetch_owners(owner);
    const std::uint64_t begin = blocks_.begin(comm_);
    std::vector<double> ghosts(comm_.size(), 0.0);
    std::vector<double> work(comm_.size(), 0.0);
    std::vector<std::uint32_t> neighbour_ranks;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      // The node is a ghost on every other rank that owns one of its neighbours.
      neighbour_ranks.clear();
      for (std::uint64_t k = rows_.edge_offsets[i]; k < rows_.edge_offsets[i + 1]; ++k) {
        const std::uint64_t number = rows_.neighbours[k];
        const auto position = std::ranges::lower_bound(ghosts_, number) - ghosts_.begin();
        neighbour_ranks.push_back(blocks_.is_own(comm_, number)
                                      ? owner[number - begin]
                                      : ghost_owners[static_cast<std::size_t>(position)]);
      }
      std::ranges::sort(neighbour_ranks);
      neighbour_ranks.erase(std::unique(neighbour_ranks.begin(), neighbour_ranks.end()),
                            neighbour_ranks.end());
      for (const std::uint32_t rank : neighbour_ranks) ghosts[rank] += rank != owner[i] ? 1 : 0;
      work[owner[i]] += weights_[i];
    }
    comm_.allreduce(ghosts);
    comm_.allreduce(work);
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    return {
        .num_ghosts =
            static_cast<std::uint64_t>(std::accumulate(ghosts.begin(), ghosts.end(), 0.0)),
        .largest_ghosts = static_cast<std::uint64_t>(std::ranges::max(ghosts)),
        .imbalance = all > 0 ? std::ranges::max(work) * static_cast<double>(work.size()) / all : 1};
  }

 private:
  std::vector<std::uint32_t> fetch_owners(std::span<const std::uint32_t> owner) const {
    std::vector<std::vector<std::uint64_t>> requests(comm_.size());
    for (const std::uint64_t number : ghosts_) {
      requests[blocks_.owner_of(number)].push_back(number);
    }
    std::vector<std::vector<std::uint32_t>> replies(comm_.size());
    const auto requested = comm_.alltoallv(std::move(requests));
    for (std::size_t from = 0; from < requested.size(); ++from) {
      for (const std::uint64_t number : requested[from]) {
        replies[from].push_back(owner[number - blocks_.begin(comm_)]);
      }
    }
    std::vector<std::uint32_t> out;  // replies come in rank order, which is the order of the ghosts
    for (const auto& part : comm_.alltoallv(std::move(replies))) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  const Communicator& comm_;
  const NodeRows& rows_;
  std::span<const std::uint32_t> weights_;
  Blocks blocks_;
  std::vector<std::uint64_t> ghosts_;  ///< neighbours that other ranks own
};

/// Why the partitioner is not run; empty where it is.
std::string reason_to_skip(const Communicator& comm, Partition choice,
                           const Partitioner* partitioner, const GlobalData& global) {
  if (choice == Partition::kNone) return "not requested";
  if (partitioner == nullptr) return "there is no partitioner";
  if (comm.size() == 1) return "there is one rank";
  if (global.edges.num_edges == 0) return "there are no edges";
  return "";
}

/// Whether moving nodes pays: a proposal with nearly as many ghosts and the same imbalance gains
/// nothing.
bool is_worth_moving(const Cut& as_read, const Cut& proposed, std::string& reason) {
  constexpr double kMostOfGhosts = 2.0 / 3;
  constexpr double kMostOfWork = 0.8;
  constexpr double kFairImbalance = 1.25;
  const double ghosts = static_cast<double>(proposed.largest_ghosts) /
                        static_cast<double>(std::max<std::uint64_t>(as_read.largest_ghosts, 1));
  const double work = proposed.imbalance / as_read.imbalance;
  reason = fmt::format(
      "the largest rank would have {:.0f} % of its present ghosts and {:.0f} % of its present work",
      100 * ghosts, 100 * work);
  const bool reduces_ghosts =
      ghosts <= kMostOfGhosts && (work <= 1 || proposed.imbalance <= kFairImbalance);
  return reduces_ghosts || (work <= kMostOfWork && ghosts <= 1);
}

}  // namespace

PartitionReport repartition(const Context& context, const Communicator& comm, Partition choice,
                            const Partitioner* partitioner, const GlobalData& global,
                            NodeRows& rows) {
  PartitionReport report{.reason = reason_to_skip(comm, choice, partitioner, global)};
  if (!report.reason.empty()) return report;
  if (choice == Partition::kAuto && !partitioner->fits(global, rows)) {
    report.reason = "the network is larger than this PETSc's integers allow";
    return report;
  }
  const std::vector<std::uint32_t> weights = weigh_rows(rows);
  std::vector<std::uint32_t> owner;
  {
    const CutCounter counter(comm, rows, weights);
    report.as_read = counter.count(
        std::vector<std::uint32_t>(rows.size(), static_cast<std::uint32_t>(comm.rank())));
    context.poll();
    owner = partitioner->assign_rows(global, rows, weights);
    report.proposed = counter.count(owner);
  }
  const bool pays = is_worth_moving(*report.as_read, *report.proposed, report.reason);
  report.moved = pays || choice == Partition::kScotch;
  if (report.moved) move_rows(comm, owner, rows);
  return report;
}

}  // namespace cone::distributed
