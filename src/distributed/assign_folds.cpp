#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

#include "base/random.hpp"
#include "data/split.hpp"
#include "distributed/collective_error.hpp"
#include "distributed/local_data.hpp"
#include "exec/distributed_sort.hpp"

namespace cone::distributed {
namespace {

void require_enough(const Communicator& comm, const LocalData& local, std::span<const double> sizes,
                    int num_folds, bool is_selection) {
  FaultList faults;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] >= num_folds) continue;
    if (!comm.is_root()) continue;  // report once
    faults.add("folds",
               too_few_for_folds(num_folds, members_of(local.global.arms, static_cast<Arm>(a)),
                                 static_cast<std::size_t>(sizes[a]), is_selection));
  }
  throw_if_any(comm, faults, ErrorCode::kData);
}

/// A 64-bit key as two doubles, without loss and in the same order.
constexpr double high_half(std::uint64_t key) { return static_cast<double>(key >> 32); }
constexpr double low_half(std::uint64_t key) { return static_cast<double>(key & 0xffffffffU); }

/// Number of folds, the keys of the random assignment, and the outer fold that is held out.
struct FoldOptions {
  int num_folds;
  std::uint64_t seed;
  Stream stream;
  int held_out = -1;  ///< nodes of this outer fold get no fold
};

constexpr int kNoFold = -1;

/// The fold of every position, as make_folds assigns it; kNoFold for nodes that are held out.
std::vector<int> draw_folds(const Communicator& comm, const LocalData& local,
                            const FoldOptions& options) {
  const std::size_t num_arms = local.num_arms();
  const auto is_held_out = [&](std::size_t p) {
    return options.held_out >= 0 && local.fold[p] == options.held_out;
  };
  std::vector<std::uint64_t> key(local.size());
  std::vector<std::uint64_t> smallest(num_arms, std::numeric_limits<std::uint64_t>::max());
  std::vector<double> sizes(num_arms, 0.0);
  for (std::size_t p = 0; p < local.size(); ++p) {
    if (is_held_out(p)) continue;
    const Arm arm = local.arm_of(p);
    key[p] = Rng(options.seed, options.stream, local.rows->hash[p]).next_u64();
    smallest[arm] = std::min(smallest[arm], key[p]);
    ++sizes[arm];
  }
  comm.allreduce(sizes);
  require_enough(comm, local, sizes, options.num_folds, options.held_out >= 0);
  // Arms are ordered by their smallest keys, so their labels do not matter.
  for (std::uint64_t& least : smallest) least = ~comm.allreduce_max(~least);
  std::vector<double> arm_order(num_arms, 0.0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    arm_order[a] = static_cast<double>(
        std::ranges::count_if(smallest, [&](std::uint64_t other) { return other < smallest[a]; }));
  }
  std::vector<std::size_t> positions;
  for (std::size_t p = 0; p < local.size(); ++p) {
    if (!is_held_out(p)) positions.push_back(p);
  }
  constexpr std::size_t kWidth = 5;
  Matrix<double> rows(positions.size(), kWidth);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const std::size_t p = positions[k];
    const std::array<double, kWidth> row = {arm_order[local.arm_of(p)], high_half(key[p]),
                                            low_half(key[p]), static_cast<double>(comm.rank()),
                                            static_cast<double>(p)};
    std::ranges::copy(row, rows.row(k).begin());
  }
  const Matrix<double> sorted = distributed_sort(comm, rows);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  struct FoldOfPosition {
    std::uint64_t position;
    std::uint64_t fold;
  };
  std::vector<std::vector<FoldOfPosition>> replies(comm.size());
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    replies[static_cast<std::size_t>(sorted(k, 3))].push_back(
        {static_cast<std::uint64_t>(sorted(k, 4)),
         (before + k) % static_cast<std::uint64_t>(options.num_folds)});
  }
  std::vector<int> fold(local.size(), kNoFold);
  for (const auto& part : comm.alltoallv(std::move(replies))) {
    for (const FoldOfPosition& reply : part) fold[reply.position] = static_cast<int>(reply.fold);
  }
  return fold;
}

}  // namespace

void assign_folds(const Communicator& comm, int num_folds, std::uint64_t seed, LocalData& local) {
  local.fold =
      draw_folds(comm, local, {.num_folds = num_folds, .seed = seed, .stream = Stream::kSplit});
}

FitPlan make_local_plan(const Communicator& comm, const PlanOptions& options, std::uint64_t seed,
                        const LocalData& local) {
  FitPlan plan;
  plan.scored.resize(local.size());
  std::iota(plan.scored.begin(), plan.scored.end(), NodeIndex{0});
  for (int t = 0; t < options.folds; ++t) {
    const std::vector<int> selection = draw_folds(comm, local,
                                                  {.num_folds = options.selection_folds,
                                                   .seed = seed,
                                                   .stream = Stream::kSelection,
                                                   .held_out = t});
    FitTask& task = plan.tasks.emplace_back();
    task.selection.resize(static_cast<std::size_t>(options.selection_folds));
    for (const NodeIndex p : plan.scored) {
      (local.fold[p] == t ? task.score : task.fit).push_back(p);
      if (local.fold[p] == t) continue;
      for (std::size_t s = 0; s < task.selection.size(); ++s) {
        SelectionSplit& split = task.selection[s];
        (selection[p] == static_cast<int>(s) ? split.score : split.fit).push_back(p);
      }
    }
  }
  return plan;
}

}  // namespace cone::distributed
