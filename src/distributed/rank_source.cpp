#include "distributed/rank_source.hpp"

#include "distributed/fetch_rows.hpp"

namespace cone::distributed {

RankSource::RankSource(const RankSystem& system) : system_(system) {
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    std::vector<char>& learns = learns_from_.emplace_back();
    for (std::size_t p = 0; p < system.share.size(); ++p) {
      learns.push_back(system.learns(p, t) ? 1 : 0);
    }
  }
}

EquationTables RankSource::tables() const {
  const Share& share = system_.share;
  return {.groups = system_.groups,
          .arms = system_.arms,
          .undersmoothing = system_.undersmoothing,
          .learns_from = learns_from_,
          .arm_begin = share.arm_begin,
          .list_offsets = share.list_offsets,
          .arm_offsets = share.arm_offsets,
          .lists = share.lists,
          .degree = share.degree,
          .relative_degree = share.relative_degree,
          .inverse_degree = share.inverse_degree,
          .words = &share.words,
          .positions_of_words = &share.positions_of_words,
          .columns = &share.columns,
          .smooth = &share.smooth,
          .curves = &share.curves};
}

std::uint64_t RankSource::number_of(std::size_t position) const {
  return system_.share.number[position];
}

NeighbourLengths RankSource::measure_lengths(const Context& /*context*/) const {
  return system_.share.lengths;
}

std::unique_ptr<RowsElsewhere> RankSource::connect_neighbours(
    std::span<const std::uint32_t> chosen) const {
  const Share& share = system_.share;
  std::vector<RemotePosition> positions;
  for (const std::uint32_t g : chosen) positions.push_back(share.remote[g]);
  return std::make_unique<Ghosts>(system_.ranks, share.size(), share.remote.size(), chosen,
                                  positions);
}

std::unique_ptr<RowsElsewhere> RankSource::connect_arm(
    std::size_t arm, std::span<const std::uint32_t> members) const {
  const Share& share = system_.share;
  // Tables of the arm start with its first position, which is another one on every rank.
  const std::vector<std::uint64_t> first = system_.ranks.gather(share.arm_begin[arm]);
  std::vector<RemotePosition> positions;
  for (const std::uint32_t g : members) {
    const RemotePosition& at = share.remote[g];
    positions.push_back({at.rank, at.position - first[at.rank]});
  }
  return std::make_unique<Ghosts>(system_.ranks, share.arm_begin[arm + 1] - share.arm_begin[arm],
                                  positions);
}

std::shared_ptr<const SparseMatrix> RankSource::fetch_words_elsewhere() const {
  if (!words_elsewhere_) {
    words_elsewhere_ = std::make_shared<SparseMatrix>(
        fetch_rows(system_.ranks, system_.share, system_.share.remote).words);
  }
  return words_elsewhere_;
}

Matrix<double> multiply_kernel(const Context& context, const RankSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  return multiply_kernel(context, RankSource(system), arm, v);
}

}  // namespace cone::distributed
