#include "distributed/rank_source.hpp"

#include "distributed/fetch_rows.hpp"

namespace cone::distributed {

RankSource::RankSource(const RankSystem& system) : system_(system) {
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    std::vector<char>& learns = learns_from_.emplace_back();
    for (std::size_t p = 0; p < system.local.size(); ++p) {
      learns.push_back(system.learns(p, t) ? 1 : 0);
    }
  }
}

EquationTables RankSource::tables() const {
  const LocalData& local = system_.local;
  return {.groups = system_.groups,
          .arms = system_.arms,
          .undersmoothing = system_.undersmoothing,
          .learns_from = learns_from_,
          .arm_begin = local.arm_begin,
          .list_offsets = local.list_offsets,
          .arm_offsets = local.arm_offsets,
          .lists = local.lists,
          .degree = local.degree,
          .relative_degree = local.relative_degree,
          .inverse_degree = local.inverse_degree,
          .counts = &local.counts,
          .counts_transposed = &local.counts_transposed,
          .numeric = &local.numeric,
          .smooth = &local.smooth,
          .curves = &local.curves,
          .communities = &no_communities_};
}

std::uint64_t RankSource::number_of(std::size_t position) const {
  return system_.local.number[position];
}

NeighbourNorms RankSource::neighbour_norms(const Context& /*context*/) const {
  return system_.local.neighbour_norms;
}

std::unique_ptr<GhostRows> RankSource::connect_neighbours(
    std::span<const std::uint32_t> chosen) const {
  const LocalData& local = system_.local;
  std::vector<RemoteRow> remote;
  for (const std::uint32_t g : chosen) remote.push_back(local.remote[g]);
  return system_.comm.connect_ghosts({.num_owned = local.size(),
                                      .num_ghosts = local.remote.size(),
                                      .remote = remote,
                                      .ghost_of = chosen});
}

std::unique_ptr<GhostRows> RankSource::connect_arm(std::size_t arm,
                                                   std::span<const std::uint32_t> members) const {
  const LocalData& local = system_.local;
  // Tables of an arm start with its first position, which differs between ranks.
  const std::vector<std::uint64_t> first = system_.comm.allgather(local.arm_begin[arm]);
  std::vector<RemoteRow> remote;
  for (const std::uint32_t g : members) {
    const RemoteRow& at = local.remote[g];
    remote.push_back({at.rank, at.row - first[at.rank]});
  }
  return system_.comm.connect_ghosts({.num_owned = local.arm_begin[arm + 1] - local.arm_begin[arm],
                                      .num_ghosts = remote.size(),
                                      .remote = remote});
}

std::shared_ptr<const SparseMatrix> RankSource::fetch_ghost_counts() const {
  if (!ghost_counts_) {
    ghost_counts_ = std::make_shared<SparseMatrix>(
        fetch_rows(system_.comm, system_.local, system_.local.remote).counts);
  }
  return ghost_counts_;
}

Matrix<double> multiply_kernel(const Context& context, const RankSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  return multiply_kernel(context, RankSource(system), arm, v);
}

}  // namespace cone::distributed
