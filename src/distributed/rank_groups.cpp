#include "distributed/rank_groups.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace cone::distributed {
namespace {

class RankGroups : public SpreadGroups {
 public:
  /// `here`: the groups that own positions are in, those of one owner next to each other.
  RankGroups(const Ranks& ranks, const std::vector<std::uint32_t>& here)
      : ranks_(ranks), num_here_(here.size()), sent_(ranks.size(), 0) {
    std::vector<std::vector<std::uint32_t>> parts(ranks.size());
    for (const std::uint32_t group : here) {
      parts[owner_of(group, ranks)].push_back(group);
      ++sent_[owner_of(group, ranks)];
    }
    rows_ = ranks.exchange(std::move(parts));
    std::vector<std::uint32_t> kept;
    for (const auto& part : rows_) kept.insert(kept.end(), part.begin(), part.end());
    std::ranges::sort(kept);
    kept.erase(std::ranges::unique(kept).begin(), kept.end());
    num_kept_ = kept.size();
    for (auto& part : rows_) {
      for (std::uint32_t& group : part) {
        group = static_cast<std::uint32_t>(std::ranges::lower_bound(kept, group) - kept.begin());
      }
    }
  }

  static std::size_t owner_of(std::uint32_t group, const Ranks& ranks) {
    return group % ranks.size();
  }

  std::size_t num_here() const override { return num_here_; }

  Matrix<double> allreduce(const Matrix<double>& sums) const override {
    std::vector<std::vector<double>> parts(ranks_.size());
    auto next = sums.values().begin();
    for (std::size_t to = 0; to < parts.size(); ++to) {
      const auto end = next + static_cast<std::ptrdiff_t>(sent_[to] * sums.cols());
      parts[to].assign(next, end);
      next = end;
    }
    const auto received = ranks_.exchange(std::move(parts));
    Matrix<double> out(num_kept_, sums.cols(), 0.0);
    for (std::size_t from = 0; from < received.size(); ++from) {
      auto value = received[from].begin();
      for (const std::uint32_t row : rows_[from]) {
        for (double& total : out.row(row)) total += *value++;
      }
    }
    return out;
  }

 private:
  const Ranks& ranks_;
  std::size_t num_here_;
  std::size_t num_kept_ = 0;
  std::vector<std::size_t> sent_;                 ///< groups that go to every rank
  std::vector<std::vector<std::uint32_t>> rows_;  ///< of the groups kept here, by sender
};

}  // namespace

Clustering spread_groups(const Ranks& ranks, const Share& share) {
  if (share.whole.num_groups == 0) return {};
  std::vector<std::uint32_t> here = share.group;
  const auto by_owner = [&](std::uint32_t group) {
    return std::pair(RankGroups::owner_of(group, ranks), group);
  };
  std::ranges::sort(here, {}, by_owner);
  here.erase(std::ranges::unique(here).begin(), here.end());
  Clustering out{.count = share.whole.num_groups, .cut_share = share.whole.group_cut_share};
  out.of.reserve(share.size());
  for (const std::uint32_t group : share.group) {
    out.of.push_back(static_cast<std::uint32_t>(
        std::ranges::lower_bound(here, by_owner(group), {}, by_owner) - here.begin()));
  }
  out.spread = std::make_shared<RankGroups>(ranks, here);
  return out;
}

}  // namespace cone::distributed
