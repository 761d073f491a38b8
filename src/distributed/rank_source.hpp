#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "distributed/rank_system.hpp"
#include "network_ridge/equation_source.hpp"

namespace cone::distributed {

/// What a rank has of the equations. The system must outlive it, and its arms be learnt.
class RankSource : public EquationSource {
 public:
  explicit RankSource(const RankSystem& system);

  EquationTables tables() const override;
  std::uint64_t number_of(std::size_t position) const override;
  NeighbourLengths measure_lengths(const Context& context) const override;
  const Totals& totals() const override { return system_.ranks; }
  std::size_t num_elsewhere() const override { return system_.share.ghosts.num_ghosts(); }
  const RowsElsewhere& neighbours_elsewhere() const override { return system_.share.ghosts; }
  std::unique_ptr<RowsElsewhere> connect_neighbours(
      std::span<const std::uint32_t> chosen) const override;
  std::unique_ptr<RowsElsewhere> connect_arm(std::size_t arm,
                                             std::span<const std::uint32_t> members) const override;
  /// Fetched once: the preconditioners of all arms ask for them.
  std::shared_ptr<const SparseMatrix> fetch_words_elsewhere() const override;
  /// Gives their memory back.
  void forget_words_elsewhere() const { words_elsewhere_.reset(); }

 private:
  const RankSystem& system_;
  mutable std::shared_ptr<const SparseMatrix> words_elsewhere_;
  std::vector<std::vector<char>> learns_from_;
};

}  // namespace cone::distributed
