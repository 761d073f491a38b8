#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

#include "base/random.hpp"
#include "data/split.hpp"
#include "distributed/share.hpp"
#include "distributed/sort_together.hpp"

namespace cone::distributed {
namespace {

void require_enough(const Ranks& ranks, const Share& share, std::span<const double> sizes,
                    int num_folds, bool is_inside) {
  FaultList faults;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] >= num_folds) continue;
    if (!ranks.is_first()) continue;  // one speaks for all
    faults.add("folds",
               too_few_for_folds(num_folds, members_of(share.whole.arms, static_cast<Arm>(a)),
                                 static_cast<std::size_t>(sizes[a]), is_inside));
  }
  ranks.throw_if_any(faults, ErrorCode::kData);
}

/// A key without loss in two numbers that sort as it does.
constexpr double high_half(std::uint64_t key) { return static_cast<double>(key >> 32); }
constexpr double low_half(std::uint64_t key) { return static_cast<double>(key & 0xffffffffU); }

/// Who is dealt to how many folds, and by which keys.
struct Deal {
  int num_folds;
  std::uint64_t seed;
  Stream stream;
  int left_out = -1;  ///< nodes of this outer fold stay out
};

constexpr int kNowhere = -1;

/// The fold of every position, as make_folds deals it; kNowhere where the node stays out.
std::vector<int> deal(const Ranks& ranks, const Share& share, const Deal& dealt) {
  const std::size_t num_arms = share.num_arms();
  const auto stays_out = [&](std::size_t p) {
    return dealt.left_out >= 0 && share.fold[p] == dealt.left_out;
  };
  std::vector<std::uint64_t> key(share.size());
  std::vector<std::uint64_t> smallest(num_arms, std::numeric_limits<std::uint64_t>::max());
  std::vector<double> sizes(num_arms, 0.0);
  for (std::size_t p = 0; p < share.size(); ++p) {
    if (stays_out(p)) continue;
    const Arm arm = share.arm_of(p);
    key[p] = Rng(dealt.seed, dealt.stream, share.hash[p]).next_u64();
    smallest[arm] = std::min(smallest[arm], key[p]);
    ++sizes[arm];
  }
  ranks.allreduce(sizes);
  require_enough(ranks, share, sizes, dealt.num_folds, dealt.left_out >= 0);
  // Arms come in the order of their first nodes, whatever they are called.
  for (std::uint64_t& least : smallest) least = ~ranks.allreduce_max(~least);
  std::vector<double> turn(num_arms, 0.0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    turn[a] = static_cast<double>(
        std::ranges::count_if(smallest, [&](std::uint64_t other) { return other < smallest[a]; }));
  }
  std::vector<std::size_t> positions;
  for (std::size_t p = 0; p < share.size(); ++p) {
    if (!stays_out(p)) positions.push_back(p);
  }
  constexpr std::size_t kWidth = 5;
  Matrix<double> rows(positions.size(), kWidth);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const std::size_t p = positions[k];
    const std::array<double, kWidth> row = {turn[share.arm_of(p)], high_half(key[p]),
                                            low_half(key[p]), static_cast<double>(ranks.rank()),
                                            static_cast<double>(p)};
    std::ranges::copy(row, rows.row(k).begin());
  }
  const Matrix<double> sorted = sort_together(ranks, rows);
  const std::uint64_t before = ranks.exclusive_scan(std::uint64_t{sorted.rows()});
  struct Position {
    std::uint64_t position;
    std::uint64_t fold;
  };
  std::vector<std::vector<Position>> answers(ranks.size());
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    answers[static_cast<std::size_t>(sorted(k, 3))].push_back(
        {static_cast<std::uint64_t>(sorted(k, 4)),
         (before + k) % static_cast<std::uint64_t>(dealt.num_folds)});
  }
  std::vector<int> fold(share.size(), kNowhere);
  for (const auto& part : ranks.exchange(std::move(answers))) {
    for (const Position& answer : part) fold[answer.position] = static_cast<int>(answer.fold);
  }
  return fold;
}

}  // namespace

void assign_folds(const Ranks& ranks, int num_folds, std::uint64_t seed, Share& share) {
  share.fold = deal(ranks, share, {.num_folds = num_folds, .seed = seed, .stream = Stream::kSplit});
}

FitPlan plan_own_nodes(const Ranks& ranks, const PlanOptions& options, std::uint64_t seed,
                       const Share& share) {
  FitPlan plan;
  plan.scored.resize(share.size());
  std::iota(plan.scored.begin(), plan.scored.end(), NodeIndex{0});
  for (int t = 0; t < options.folds; ++t) {
    const std::vector<int> selection = deal(ranks, share,
                                            {.num_folds = options.selection_folds,
                                             .seed = seed,
                                             .stream = Stream::kSelection,
                                             .left_out = t});
    FitTask& task = plan.tasks.emplace_back();
    task.selection.resize(static_cast<std::size_t>(options.selection_folds));
    for (const NodeIndex p : plan.scored) {
      (share.fold[p] == t ? task.score : task.fit).push_back(p);
      if (share.fold[p] == t) continue;
      for (std::size_t s = 0; s < task.selection.size(); ++s) {
        SelectionSplit& split = task.selection[s];
        (selection[p] == static_cast<int>(s) ? split.score : split.fit).push_back(p);
      }
    }
  }
  return plan;
}

}  // namespace cone::distributed
