#include <algorithm>

#include <fmt/format.h>

#include "base/random.hpp"
#include "base/text.hpp"
#include "distributed/share.hpp"
#include "distributed/sort_together.hpp"

namespace cone::distributed {
namespace {

void require_enough(const Ranks& ranks, const WholeData& whole, int num_folds) {
  FaultList faults;
  for (std::size_t a = 0; a < whole.arms.size(); ++a) {
    if (whole.arm_sizes[a] >= static_cast<std::uint64_t>(num_folds)) continue;
    if (!ranks.is_first()) continue;  // one speaks for all
    faults.add("folds", {{},
                         fmt::format("{} folds need at least as many nodes of arm '{}', there are "
                                     "{}",
                                     num_folds, printable(whole.arms[a]), whole.arm_sizes[a]),
                         "ask for fewer folds (--folds), bring more nodes, or leave the arm out"});
  }
  ranks.throw_if_any(faults, ErrorCode::kData);
}

/// A key without loss in two numbers that sort as it does.
constexpr double high_half(std::uint64_t key) { return static_cast<double>(key >> 32); }
constexpr double low_half(std::uint64_t key) { return static_cast<double>(key & 0xffffffffU); }

}  // namespace

void deal_folds(const Ranks& ranks, int num_folds, std::uint64_t seed, Share& share) {
  require_enough(ranks, share.whole, num_folds);
  const std::size_t num_arms = share.num_arms();
  std::vector<std::uint64_t> key(share.size());
  std::vector<std::uint64_t> smallest(num_arms, std::numeric_limits<std::uint64_t>::max());
  for (std::size_t p = 0; p < share.size(); ++p) {
    key[p] = Rng(seed, Stream::kSplit, share.hash[p]).next_u64();
    std::uint64_t& least = smallest[share.arm_of(p)];
    least = std::min(least, key[p]);
  }
  // Arms come in the order of their first nodes, whatever they are called.
  for (std::uint64_t& least : smallest) least = ~ranks.find_largest(~least);
  std::vector<double> turn(num_arms, 0.0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    turn[a] = static_cast<double>(
        std::ranges::count_if(smallest, [&](std::uint64_t other) { return other < smallest[a]; }));
  }
  constexpr std::size_t kWidth = 5;
  Matrix<double> rows(share.size(), kWidth);
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::array<double, kWidth> row = {turn[share.arm_of(p)], high_half(key[p]),
                                            low_half(key[p]), static_cast<double>(ranks.rank()),
                                            static_cast<double>(p)};
    std::ranges::copy(row, rows.row(p).begin());
  }
  const Matrix<double> sorted = sort_together(ranks, rows);
  const std::uint64_t before = ranks.sum_before(std::uint64_t{sorted.rows()});
  struct Dealt {
    std::uint64_t place;
    std::uint64_t fold;
  };
  std::vector<std::vector<Dealt>> dealt(ranks.size());
  for (std::size_t k = 0; k < sorted.rows(); ++k) {
    dealt[static_cast<std::size_t>(sorted(k, 3))].push_back(
        {static_cast<std::uint64_t>(sorted(k, 4)),
         (before + k) % static_cast<std::uint64_t>(num_folds)});
  }
  share.fold.assign(share.size(), 0);
  for (const auto& part : ranks.exchange(std::move(dealt))) {
    for (const Dealt& d : part) share.fold[d.place] = static_cast<int>(d.fold);
  }
}

}  // namespace cone::distributed
