#include "policy_tree/lookahead.hpp"

#include <algorithm>

#include "policy_tree/prefix_extremes.hpp"
#include "policy_tree/split_window.hpp"

namespace cone {
namespace {

constexpr std::size_t kRowsPerPoll = 16384;

/// Buffers of a sweep over the ranks of a first column, upwards or downwards.
struct SweepMemory {
  PrefixExtremes extremes;
  SplitWindow window;
  std::vector<std::size_t> changed;
};

/// The ranks of the first column in the order in which they join a side, while the other side keeps
/// enough rows.
struct Sweep {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes;  ///< rows joined so far
  std::vector<std::int64_t> totals;  ///< of arm a after step s, at s · arms + a
  std::vector<std::int64_t> best;    ///< of a leaf or one split, after every step
};

Sweep make_sweep(const TreeRows& rows, const SortedColumn& first, bool upwards) {
  Sweep out;
  const std::size_t num_arms = rows.scores.num_arms;
  std::vector<std::int64_t> totals(num_arms, 0);
  std::uint64_t size = 0;
  for (std::size_t step = 0; step + 1 < first.num_ranks(); ++step) {
    const std::size_t rank = upwards ? step : first.num_ranks() - 1 - step;
    const auto joining = first.rows_of(rank);
    size += joining.size();
    if (rows.size() - size < rows.min_leaf) break;
    for (std::size_t a = 0; a < num_arms; ++a) {
      for (const std::uint32_t row : joining) totals[a] += rows.scores.of_arm(a)[row];
    }
    out.ranks.push_back(static_cast<std::uint32_t>(rank));
    out.sizes.push_back(size);
    out.totals.insert(out.totals.end(), totals.begin(), totals.end());
    out.best.push_back(*std::max_element(totals.begin(), totals.end()));
  }
  return out;
}

/// Rows join; after every step the best split on `second` whose sides get the two arms.
void try_arms(const Context& context, const TreeRows& rows, const SortedColumn& first,
              const SortedColumn& second, std::size_t a, std::size_t b, Sweep& sweep,
              SweepMemory& memory) {
  const std::int64_t* of_a = rows.scores.of_arm(a);
  const std::int64_t* of_b = rows.scores.of_arm(b);
  const std::size_t num_arms = rows.scores.num_arms;
  memory.extremes.reset(second.num_ranks());
  memory.window.reset(second.num_ranks(), rows.min_leaf);
  std::size_t since_poll = 0;
  for (std::size_t step = 0; step < sweep.ranks.size(); ++step) {
    memory.changed.clear();
    const auto joining = first.rows_of(sweep.ranks[step]);
    for (const std::uint32_t row : joining) {
      const std::uint32_t rank = second.rank[row];
      memory.extremes.add_at(rank, of_a[row] - of_b[row]);
      memory.window.add(rank);
      if (memory.window.allows(rank)) memory.extremes.open(rank);
      memory.changed.push_back(rank);
    }
    memory.window.widen([&](std::size_t cut) {
      memory.extremes.open(cut);
      memory.changed.push_back(cut);
    });
    if (memory.extremes.prefers_rebuild(memory.changed.size())) {
      memory.extremes.rebuild();
    } else {
      for (const std::size_t index : memory.changed) memory.extremes.settle(index);
    }
    since_poll += memory.changed.size();
    if (since_poll > kRowsPerPoll) {
      context.poll();
      since_poll = 0;
    }
    if (!memory.extremes.has_open()) continue;
    // Arm a on the left and b on the right has the sum of b plus a prefix of the differences; vice
    // versa, the sum of a less a prefix.
    const std::int64_t* totals = sweep.totals.data() + step * num_arms;
    sweep.best[step] = std::max({sweep.best[step], totals[b] + memory.extremes.highest(),
                                 totals[a] - memory.extremes.lowest()});
  }
}

Sweep run_sweep(const Context& context, const TreeRows& rows, const SortedColumn& first,
                bool upwards, SweepMemory& memory) {
  Sweep sweep = make_sweep(rows, first, upwards);
  if (sweep.sizes.empty() || sweep.sizes.back() < 2 * rows.min_leaf) return sweep;
  for (const SortedColumn& second : rows.columns) {
    if (second.num_ranks() < 2) continue;
    context.poll();
    for (std::size_t b = 1; b < rows.scores.num_arms; ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        try_arms(context, rows, first, second, a, b, sweep, memory);
      }
    }
  }
  return sweep;
}

std::uint8_t leaves_after(const Sweep& sweep, std::size_t step, std::size_t num_arms) {
  const auto totals = sweep.totals.begin() + static_cast<std::ptrdiff_t>(step * num_arms);
  const std::int64_t leaf =
      *std::max_element(totals, totals + static_cast<std::ptrdiff_t>(num_arms));
  return sweep.best[step] > leaf ? 2 : 1;
}

CutValues value_cuts(const Context& context, const TreeRows& rows, const SortedColumn& first) {
  SweepMemory memory;
  const Sweep left = run_sweep(context, rows, first, /*upwards=*/true, memory);
  const Sweep right = run_sweep(context, rows, first, /*upwards=*/false, memory);
  const std::size_t num_cuts = first.num_ranks() - 1;
  CutValues out;
  out.sum.assign(num_cuts, CutValues::kRefused);
  out.leaves.assign(num_cuts, 0);
  for (std::size_t cut = 0; cut < num_cuts; ++cut) {
    // The left side of cut s is complete after step s, the right side after the step of rank s + 1.
    const std::size_t right_step = num_cuts - 1 - cut;
    if (cut >= left.best.size() || right_step >= right.best.size()) continue;
    out.sum[cut] = left.best[cut] + right.best[right_step];
    const std::size_t num_arms = rows.scores.num_arms;
    out.leaves[cut] = static_cast<std::uint8_t>(leaves_after(left, cut, num_arms) +
                                                leaves_after(right, right_step, num_arms));
  }
  return out;
}

}  // namespace

std::vector<CutValues> look_ahead(const Context& context, const TreeRows& rows) {
  std::vector<CutValues> out(rows.columns.size());
  context.for_each_task("searching for the best tree", rows.columns.size(), [&](std::size_t c) {
    out[c] = value_cuts(context, rows, rows.columns[c]);
  });
  return out;
}

}  // namespace cone
