#include "distributed/partition.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "distributed/blocks.hpp"
#include "distributed/move_rows.hpp"
#include "distributed/strangers.hpp"

namespace cone::distributed {
namespace {

/// What a row costs in an iteration, in rows of neighbours that are read: its ends of edges, its
/// words and what is done once per row.
std::vector<std::uint32_t> weigh_rows(const NodeRows& rows) {
  constexpr std::uint64_t kOncePerRow = 32;
  constexpr std::uint64_t kMost = 1U << 20U;  // sums must stay far below what PETSc counts
  std::vector<std::uint32_t> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t degree = rows.edge_offsets[i + 1] - rows.edge_offsets[i];
    out.push_back(static_cast<std::uint32_t>(
        std::min(kMost, kOncePerRow + degree + rows.words.row(i).size())));
  }
  return out;
}

/// Counts what a way to spread the nodes costs, before anyone moves.
class CutCounter {
 public:
  CutCounter(const Ranks& ranks, const NodeRows& rows, std::span<const std::uint32_t> weights)
      : ranks_(ranks),
        rows_(rows),
        weights_(weights),
        blocks_(Blocks::make(ranks, rows.size())),
        strangers_(list_strangers(
            rows, [&](std::uint64_t number) { return blocks_.is_own(ranks, number); })) {}

  Cut count(std::span<const std::uint32_t> owner) const {
    const std::vector<std::uint32_t> of_strangers = ask_owners(owner);
    const std::uint64_t begin = blocks_.begin(ranks_);
    std::vector<double> ghosts(ranks_.size(), 0.0);
    std::vector<double> work(ranks_.size(), 0.0);
    std::vector<std::uint32_t> met;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      // Every rank that has a neighbour of the node gets its row.
      met.clear();
      for (std::uint64_t k = rows_.edge_offsets[i]; k < rows_.edge_offsets[i + 1]; ++k) {
        const std::uint64_t number = rows_.neighbours[k];
        const auto position = std::ranges::lower_bound(strangers_, number) - strangers_.begin();
        met.push_back(blocks_.is_own(ranks_, number)
                          ? owner[number - begin]
                          : of_strangers[static_cast<std::size_t>(position)]);
      }
      std::ranges::sort(met);
      met.erase(std::ranges::unique(met).begin(), met.end());
      for (const std::uint32_t rank : met) ghosts[rank] += rank != owner[i] ? 1 : 0;
      work[owner[i]] += weights_[i];
    }
    ranks_.allreduce(ghosts);
    ranks_.allreduce(work);
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    return {
        .num_ghosts =
            static_cast<std::uint64_t>(std::accumulate(ghosts.begin(), ghosts.end(), 0.0)),
        .largest_ghosts = static_cast<std::uint64_t>(std::ranges::max(ghosts)),
        .imbalance = all > 0 ? std::ranges::max(work) * static_cast<double>(work.size()) / all : 1};
  }

 private:
  std::vector<std::uint32_t> ask_owners(std::span<const std::uint32_t> owner) const {
    std::vector<std::vector<std::uint64_t>> questions(ranks_.size());
    for (const std::uint64_t number : strangers_) {
      questions[blocks_.owner_of(number)].push_back(number);
    }
    std::vector<std::vector<std::uint32_t>> answers(ranks_.size());
    const auto asked = ranks_.exchange(std::move(questions));
    for (std::size_t from = 0; from < asked.size(); ++from) {
      for (const std::uint64_t number : asked[from]) {
        answers[from].push_back(owner[number - blocks_.begin(ranks_)]);
      }
    }
    std::vector<std::uint32_t> out;  // ranks ascend by number, as strangers do
    for (const auto& part : ranks_.exchange(std::move(answers))) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  const Ranks& ranks_;
  const NodeRows& rows_;
  std::span<const std::uint32_t> weights_;
  Blocks blocks_;
  std::vector<std::uint64_t> strangers_;  ///< nodes of other ranks that own ones are connected to
};

/// Why nobody need be asked; empty where PT-Scotch is worth its time.
std::string find_excuse(const Ranks& ranks, Partition choice, const WholeData& whole) {
  if (choice == Partition::kNone) return "not asked for";
  if (ranks.size() == 1) return "there is one process";
  if (whole.edges.num_edges == 0) return "there are no edges";
  return "";
}

/// Whether moving pays: asking costs about as much as a few iterations, and a proposal that parts
/// nearly as many neighbours and spreads the work as before gains nothing.
bool is_worth_moving(const Cut& as_read, const Cut& proposed, std::string& reason) {
  constexpr double kMostOfGhosts = 2.0 / 3;
  constexpr double kMostOfWork = 0.8;
  constexpr double kFairImbalance = 1.25;
  const double ghosts = static_cast<double>(proposed.largest_ghosts) /
                        static_cast<double>(std::max<std::uint64_t>(as_read.largest_ghosts, 1));
  const double work = proposed.imbalance / as_read.imbalance;
  reason = fmt::format(
      "the process that has most would have {:.0f} % of the neighbours elsewhere and {:.0f} % of "
      "the "
      "work",
      100 * ghosts, 100 * work);
  const bool spares_messages =
      ghosts <= kMostOfGhosts && (work <= 1 || proposed.imbalance <= kFairImbalance);
  return spares_messages || (work <= kMostOfWork && ghosts <= 1);
}

}  // namespace

PartitionReport move_to_neighbours(const Context& context, const Ranks& ranks, Partition choice,
                                   const WholeData& whole, NodeRows& rows) {
  PartitionReport report{.reason = find_excuse(ranks, choice, whole)};
  if (!report.reason.empty()) return report;
  if (choice == Partition::kAuto && !scotch_can_count(ranks, whole, rows)) {
    report.reason = "the network is larger than this PETSc counts";
    return report;
  }
  const std::vector<std::uint32_t> weights = weigh_rows(rows);
  std::vector<std::uint32_t> owner;
  {
    const CutCounter counter(ranks, rows, weights);
    report.as_read = counter.count(
        std::vector<std::uint32_t>(rows.size(), static_cast<std::uint32_t>(ranks.rank())));
    context.poll();
    owner = ask_scotch(ranks, whole, rows, weights);
    report.proposed = counter.count(owner);
  }
  const bool pays = is_worth_moving(*report.as_read, *report.proposed, report.reason);
  report.moved = pays || choice == Partition::kScotch;
  if (report.moved) move_rows(ranks, owner, rows);
  return report;
}

}  // namespace cone::distributed
