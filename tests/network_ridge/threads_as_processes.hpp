#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "network_ridge/equation_source.hpp"
#include "support/thread_communicator.hpp"

namespace cone::testing {

/// The positions of a system that one thread owns.
class PartOfSystem : public EquationSource {
 public:
  /// `owner` is the rank that owns each position. Collective.
  PartOfSystem(const RidgeSystem& system, const Communicator& comm,
               std::span<const std::size_t> owner)
      : system_(system), comm_(comm) {
    const std::size_t rank = comm.rank();
    const RidgeInputs& inputs = *system.inputs;
    std::vector<std::uint32_t> row_of(inputs.num_nodes(), 0);  // of a position, at its owner
    std::vector<std::uint32_t> counts(comm.size(), 0);
    arm_begin_.push_back(0);
    for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
      for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
        row_of[p] = counts[owner[p]]++;
        if (owner[p] == rank) positions.push_back(static_cast<std::uint32_t>(p));
      }
      arm_begin_.push_back(positions.size());
    }
    std::vector<std::uint32_t> ghost_row(inputs.num_nodes(), 0);
    for (const std::uint32_t p : positions) {
      for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
        arm_offsets_.push_back(lists_.size());
        const std::uint64_t* split = &inputs.arm_split[p * inputs.num_arms() + a];
        for (std::uint64_t k = split[0]; k < split[1]; ++k) {
          const std::uint32_t f = inputs.graph.neighbours()[k];
          if (owner[f] == rank) {
            lists_.push_back(row_of[f]);
            continue;
          }
          if (ghost_row[f] == 0) {
            neighbours_.push_back({owner[f], row_of[f]});
            ghost_positions_.push_back(f);
            ghost_row[f] = static_cast<std::uint32_t>(neighbours_.size());
          }
          lists_.push_back(static_cast<std::uint32_t>(positions.size() + ghost_row[f] - 1));
        }
      }
      list_offsets_.push_back(lists_.size());
      degree_.push_back(inputs.degree[p]);
      relative_degree_.push_back(inputs.relative_degree[p]);
      inverse_degree_.push_back(inputs.inverse_degree[p]);
    }
    arm_offsets_.push_back(lists_.size());
    for (const std::vector<char>& task : system.learns_from) {
      std::vector<char>& own = learns_from_.emplace_back();
      for (const std::uint32_t p : positions) own.push_back(task[p]);
    }
    counts_ = inputs.counts.select_rows(positions);
    counts_transposed_ = counts_.transposed();
    std::vector<std::uint32_t> all(neighbours_.size());
    std::iota(all.begin(), all.end(), 0U);
    all_neighbours_ = connect_neighbours(all);
    numeric_ = take_rows(inputs.numeric);
    smooth_ = take_rows(inputs.smooth);
    curves_ = take_rows(inputs.curves);
    communities_ = CommunityFeatures(inputs.communities, positions);
  }

  std::vector<std::uint32_t> positions;  ///< of the system, in order

  EquationTables tables() const override {
    return {.groups = system_.groups,
            .arms = system_.arms,
            .undersmoothing = system_.undersmoothing,
            .learns_from = learns_from_,
            .arm_begin = arm_begin_,
            .list_offsets = list_offsets_,
            .arm_offsets = arm_offsets_,
            .lists = lists_,
            .degree = degree_,
            .relative_degree = relative_degree_,
            .inverse_degree = inverse_degree_,
            .counts = &counts_,
            .counts_transposed = &counts_transposed_,
            .numeric = &numeric_,
            .smooth = &smooth_,
            .curves = &curves_,
            .communities = &communities_};
  }
  std::uint64_t number_of(std::size_t position) const override {
    return system_.inputs->node_at[positions[position]];
  }
  NeighbourNorms neighbour_norms(const Context& context) const override {
    const NeighbourNorms whole = find_neighbour_norms(context, *system_.inputs);
    NeighbourNorms out;
    for (const std::uint32_t p : positions) {
      out.counts.push_back(whole.counts[p]);
      out.numeric.push_back(whole.numeric[p]);
    }
    return out;
  }
  const Communicator& comm() const override { return comm_; }
  std::size_t num_ghosts() const override { return neighbours_.size(); }
  const GhostRows& neighbour_ghosts() const override { return *all_neighbours_; }
  std::unique_ptr<GhostRows> connect_neighbours(
      std::span<const std::uint32_t> chosen) const override {
    std::vector<RemoteRow> remote;
    for (const std::uint32_t k : chosen) remote.push_back(neighbours_[k]);
    return comm_.connect_ghosts({.num_owned = positions.size(),
                                 .num_ghosts = neighbours_.size(),
                                 .remote = remote,
                                 .ghost_of = chosen});
  }
  std::unique_ptr<GhostRows> connect_arm(std::size_t arm,
                                         std::span<const std::uint32_t> members) const override {
    const std::vector<std::uint64_t> first = comm_.allgather(std::uint64_t{arm_begin_[arm]});
    std::vector<RemoteRow> remote;
    for (const std::uint32_t k : members) {
      const RemoteRow& at = neighbours_[k];
      remote.push_back({at.rank, at.row - first[at.rank]});
    }
    return comm_.connect_ghosts({.num_owned = arm_begin_[arm + 1] - arm_begin_[arm],
                                 .num_ghosts = remote.size(),
                                 .remote = remote});
  }
  std::shared_ptr<const SparseMatrix> fetch_ghost_counts() const override {
    return std::make_shared<SparseMatrix>(system_.inputs->counts.select_rows(ghost_positions_));
  }

  /// The rows of this part's positions.
  Matrix<double> take_rows(const Matrix<double>& table) const {
    Matrix<double> out(positions.size(), table.cols());
    for (std::size_t row = 0; row < positions.size(); ++row) {
      std::ranges::copy(table.row(positions[row]), out.row(row).begin());
    }
    return out;
  }

 private:
  const RidgeSystem& system_;
  const Communicator& comm_;
  std::vector<std::vector<char>> learns_from_;
  std::vector<std::size_t> arm_begin_;
  std::vector<std::uint64_t> list_offsets_ = {0};
  std::vector<std::uint64_t> arm_offsets_;
  std::vector<std::uint32_t> lists_;
  std::vector<double> degree_, relative_degree_, inverse_degree_;
  SparseMatrix counts_, counts_transposed_;
  Matrix<double> numeric_, smooth_, curves_;
  CommunityFeatures communities_;
  std::vector<RemoteRow> neighbours_;
  std::unique_ptr<GhostRows> all_neighbours_;
  std::vector<std::uint32_t> ghost_positions_;
};

/// Assigns the positions to `count` threads by `owner`, and runs `work` on each of them.
inline void share_system(
    const RidgeSystem& system, std::size_t count, std::span<const std::size_t> owner,
    ThreadGhosts ghosts,
    const std::function<void(const std::shared_ptr<const PartOfSystem>&)>& work) {
  run_on_ranks(
      count,
      [&](const Communicator& comm) {
        work(std::make_shared<const PartOfSystem>(system, comm, owner));
      },
      ghosts);
}

}  // namespace cone::testing
