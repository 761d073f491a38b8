#include "distributed/rank_groups.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace cone::distributed {
namespace {

class RankGroups : public DistributedGroups {
 public:
  /// `local_groups`: the groups of this rank's positions, sorted by owner.
  RankGroups(const Communicator& comm, const std::vector<std::uint32_t>& local_groups)
      : comm_(comm), num_local_(local_groups.size()), sent_(comm.size(), 0) {
    std::vector<std::vector<std::uint32_t>> parts(comm.size());
    for (const std::uint32_t group : local_groups) {
      parts[owner_of(group, comm)].push_back(group);
      ++sent_[owner_of(group, comm)];
    }
    rows_ = comm.alltoallv(std::move(parts));
    std::vector<std::uint32_t> owned;
    for (const auto& part : rows_) owned.insert(owned.end(), part.begin(), part.end());
    std::ranges::sort(owned);
    owned.erase(std::unique(owned.begin(), owned.end()), owned.end());
    num_owned_ = owned.size();
    for (auto& part : rows_) {
      for (std::uint32_t& group : part) {
        group = static_cast<std::uint32_t>(std::ranges::lower_bound(owned, group) - owned.begin());
      }
    }
  }

  static std::size_t owner_of(std::uint32_t group, const Communicator& comm) {
    return group % comm.size();
  }

  std::size_t num_local() const override { return num_local_; }

  Matrix<double> reduce_to_owners(const Matrix<double>& sums) const override {
    std::vector<std::vector<double>> parts(comm_.size());
    auto next = sums.values().begin();
    for (std::size_t to = 0; to < parts.size(); ++to) {
      const auto end = next + static_cast<std::ptrdiff_t>(sent_[to] * sums.cols());
      parts[to].assign(next, end);
      next = end;
    }
    const auto received = comm_.alltoallv(std::move(parts));
    Matrix<double> out(num_owned_, sums.cols(), 0.0);
    for (std::size_t from = 0; from < received.size(); ++from) {
      auto value = received[from].begin();
      for (const std::uint32_t row : rows_[from]) {
        for (double& total : out.row(row)) total += *value++;
      }
    }
    return out;
  }

 private:
  const Communicator& comm_;
  std::size_t num_local_;
  std::size_t num_owned_ = 0;
  std::vector<std::size_t> sent_;                 ///< number of groups sent to every rank
  std::vector<std::vector<std::uint32_t>> rows_;  ///< of the groups that this rank owns, by sender
};

}  // namespace

Clustering distribute_groups(const Communicator& comm, const LocalData& local) {
  if (local.global.num_groups == 0) return {};
  std::vector<std::uint32_t> local_groups = local.group;
  const auto by_owner = [&](std::uint32_t group) {
    return std::pair(RankGroups::owner_of(group, comm), group);
  };
  std::ranges::sort(local_groups, {}, by_owner);
  local_groups.erase(std::unique(local_groups.begin(), local_groups.end()), local_groups.end());
  Clustering out{.count = local.global.num_groups, .cut_share = local.global.group_cut_share};
  out.of.reserve(local.size());
  for (const std::uint32_t group : local.group) {
    out.of.push_back(static_cast<std::uint32_t>(
        std::ranges::lower_bound(local_groups, by_owner(group), {}, by_owner) -
        local_groups.begin()));
  }
  out.distributed = std::make_shared<RankGroups>(comm, local_groups);
  return out;
}

}  // namespace cone::distributed
