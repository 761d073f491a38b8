#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "distributed/rank_system.hpp"
#include "network_ridge/equation_source.hpp"

namespace cone::distributed {

/// This rank's part of the equations. The system must outlive it, and its arms be learnt.
class RankSource : public EquationSource {
 public:
  explicit RankSource(const RankSystem& system);

  EquationTables tables() const override;
  std::uint64_t number_of(std::size_t position) const override;
  NeighbourNorms neighbour_norms(const Context& context) const override;
  const Communicator& comm() const override { return system_.comm; }
  std::size_t num_ghosts() const override { return system_.local.remote.size(); }
  const GhostRows& neighbour_ghosts() const override { return *system_.local.ghosts; }
  std::unique_ptr<GhostRows> connect_neighbours(
      std::span<const std::uint32_t> chosen) const override;
  std::unique_ptr<GhostRows> connect_arm(std::size_t arm,
                                         std::span<const std::uint32_t> members) const override;
  /// Fetched once and cached: the preconditioners of all arms need them.
  std::shared_ptr<const SparseMatrix> fetch_ghost_counts() const override;
  /// Frees the cache.
  void release_ghost_counts() const { ghost_counts_.reset(); }

 private:
  const RankSystem& system_;
  mutable std::shared_ptr<const SparseMatrix> ghost_counts_;
  std::vector<std::vector<char>> learns_from_;
  CommunityFeatures no_communities_;  ///< they are found in one process only
};

}  // namespace cone::distributed
