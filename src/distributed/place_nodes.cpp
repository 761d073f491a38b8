#include <algorithm>
#include <numeric>
#include <utility>

#include "distributed/share.hpp"
#include "distributed/strangers.hpp"

namespace cone::distributed {
namespace {

/// Where a node is, as its owner knows it.
struct Whereabouts {
  std::uint64_t number;
  std::uint64_t place;
  std::uint32_t rank;
  std::uint32_t arm;
};

/// Which rank knows where a node is: equal ranges of numbers.
std::size_t owner_of(std::uint64_t number, std::uint64_t num_nodes, std::size_t num_ranks) {
  const std::uint64_t per_rank = (num_nodes + num_ranks - 1) / num_ranks;
  return number / per_rank;
}

/// Finds the nodes of other ranks by asking the owners of their numbers.
std::vector<Whereabouts> locate(const Ranks& ranks, const Share& share,
                                std::span<const std::uint64_t> wanted) {
  const std::uint64_t n = share.whole.num_nodes;
  std::vector<std::vector<Whereabouts>> told(ranks.size());
  for (std::size_t p = 0; p < share.size(); ++p) {
    told[owner_of(share.number[p], n, ranks.size())].push_back(
        {share.number[p], p, static_cast<std::uint32_t>(ranks.rank()), share.arm_of(p)});
  }
  std::vector<Whereabouts> known;
  for (const auto& part : ranks.exchange(std::move(told)))
    known.insert(known.end(), part.begin(), part.end());
  std::ranges::sort(known, {}, &Whereabouts::number);
  std::vector<std::vector<std::uint64_t>> questions(ranks.size());
  for (const std::uint64_t number : wanted) {
    questions[owner_of(number, n, ranks.size())].push_back(number);
  }
  std::vector<std::vector<Whereabouts>> answers(ranks.size());
  const auto asked = ranks.exchange(std::move(questions));
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (const std::uint64_t number : asked[from]) {
      answers[from].push_back(*std::ranges::lower_bound(known, number, {}, &Whereabouts::number));
    }
  }
  std::vector<Whereabouts> out;
  for (const auto& part : ranks.exchange(std::move(answers)))
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// Rows in the order of the positions.
template <class T>
std::vector<T> take(const std::vector<T>& values, std::span<const std::size_t> order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const std::size_t i : order) out.push_back(values[i]);
  return out;
}

Matrix<double> take(const Matrix<double>& table, std::span<const std::size_t> order) {
  Matrix<double> out(order.size(), table.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::ranges::copy(table.row(order[k]), out.row(k).begin());
  }
  return out;
}

/// A neighbour's row in a table with ghosts, and its arm.
struct Neighbour {
  Arm arm;
  std::uint32_t row;
  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

void list_neighbours(const NodeRows& rows, std::span<const std::size_t> order,
                     std::span<const Whereabouts> ghosts, Share& share) {
  std::vector<std::uint32_t> place_of(rows.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    place_of[order[p]] = static_cast<std::uint32_t>(p);
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ghost_of;  // by number
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    ghost_of.emplace_back(ghosts[g].number, static_cast<std::uint32_t>(g));
  }
  std::ranges::sort(ghost_of);
  const std::size_t num_arms = share.num_arms();
  std::vector<Neighbour> own;
  share.list_offsets = {0};
  share.lists.reserve(rows.neighbours.size());
  for (const std::size_t i : order) {
    own.clear();
    for (std::uint64_t k = rows.edge_offsets[i]; k < rows.edge_offsets[i + 1]; ++k) {
      const std::uint64_t number = rows.neighbours[k];
      const auto here = std::ranges::lower_bound(rows.number, number);
      if (here != rows.number.end() && *here == number) {
        const auto j = static_cast<std::size_t>(here - rows.number.begin());
        own.push_back({rows.arm[j], place_of[j]});
      } else {
        const auto ghost =
            std::ranges::lower_bound(ghost_of, number, {}, &decltype(ghost_of)::value_type::first);
        own.push_back({static_cast<Arm>(ghosts[ghost->second].arm),
                       static_cast<std::uint32_t>(rows.size() + ghost->second)});
      }
    }
    std::ranges::sort(own);
    std::size_t next = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      share.arm_offsets.push_back(share.lists.size());
      for (; next < own.size() && own[next].arm == a; ++next) share.lists.push_back(own[next].row);
    }
    share.list_offsets.push_back(share.lists.size());
  }
  share.arm_offsets.push_back(share.lists.size());
}

}  // namespace

Arm Share::arm_of(std::size_t place) const {
  return static_cast<Arm>(std::ranges::upper_bound(arm_begin, place) - arm_begin.begin() - 1);
}

Share place_nodes(const Ranks& ranks, NodeRows rows, WholeData whole) {
  const std::size_t num_arms = whole.arms.size();
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.arm[i]; });
  Share share{.whole = std::move(whole),
              .number = take(rows.number, order),
              .hash = take(rows.hash, order),
              .outcome = take(rows.outcome, order),
              .group = rows.group.empty() ? rows.group : take(rows.group, order),
              .ghosts = Ghosts(ranks, rows.size(), {})};
  share.arm_begin.assign(num_arms + 1, 0);
  for (const Arm arm : rows.arm) ++share.arm_begin[arm + 1];
  for (std::size_t a = 0; a < num_arms; ++a) share.arm_begin[a + 1] += share.arm_begin[a];
  std::vector<Whereabouts> ghosts =
      locate(ranks, share, list_strangers(rows, [&](std::uint64_t number) {
               return std::ranges::binary_search(rows.number, number);
             }));
  std::ranges::sort(ghosts, {}, [](const Whereabouts& g) { return std::pair(g.rank, g.place); });
  for (const Whereabouts& ghost : ghosts) share.remote.push_back({ghost.rank, ghost.place});
  share.ghosts = Ghosts(ranks, rows.size(), share.remote);
  list_neighbours(rows, order, ghosts, share);
  rows.neighbours = {};
  ghosts = {};
  const double mean_degree = 2 * static_cast<double>(share.whole.edges.num_edges) /
                             static_cast<double>(share.whole.num_nodes);
  for (std::size_t p = 0; p < share.size(); ++p) {
    const auto degree = static_cast<double>(share.list_offsets[p + 1] - share.list_offsets[p]);
    share.degree.push_back(degree);
    share.relative_degree.push_back(mean_degree > 0 ? degree / mean_degree : 0);
    share.inverse_degree.push_back(1 / std::max(degree, 1.0));
  }
  std::vector<std::uint32_t> selected(order.begin(), order.end());
  share.words = rows.words.select_rows(selected);
  share.columns = take(rows.columns, order);
  share.truth = take(rows.truth, order);
  for (const Matrix<double>& policy : rows.policies) share.policies.push_back(take(policy, order));
  return share;
}

}  // namespace cone::distributed
