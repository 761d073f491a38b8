#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "exec/statistics.hpp"
#include "network_ridge/neighbour_norms.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The data of the equations for the positions of this rank: see RidgeSystem and RidgeInputs.
struct EquationTables {
  std::span<const RidgeGroup> groups;
  std::span<const ArmModel> arms;
  double undersmoothing = 1;
  std::span<const std::vector<char>> learns_from;  ///< tasks × positions
  std::span<const std::size_t> arm_begin;
  std::span<const std::uint64_t>
      list_offsets;  ///< positions + 1: where a position's neighbours start
  std::span<const std::uint64_t>
      arm_offsets;                       ///< positions × arms + 1: where those of an arm start
  std::span<const std::uint32_t> lists;  ///< neighbours: positions, then ghost rows
  std::span<const double> degree, relative_degree, inverse_degree;
  const SparseMatrix* counts;
  const SparseMatrix* counts_transposed;
  const Matrix<double>* numeric;
  const Matrix<double>* smooth;
  const Matrix<double>* curves;
  const CommunityFeatures* communities;

  std::size_t num_positions() const { return degree.size(); }
};

/// The data of the equations of all arms: a whole RidgeSystem on one process, or the rank's part of
/// a distributed one. It hides the difference from the solver. Its functions are collective: all
/// ranks call them in the same order.
class EquationSource {
 public:
  virtual ~EquationSource() = default;

  virtual EquationTables tables() const = 0;
  /// The node's number, by which random vectors are drawn: the same whichever rank owns the
  /// node.
  virtual std::uint64_t number_of(std::size_t position) const = 0;
  /// Of this rank's positions.
  virtual NeighbourNorms neighbour_norms(const Context& context) const = 0;

  virtual const Communicator& comm() const { return alone_; }
  /// How many neighbours of this rank's positions other ranks own.
  virtual std::size_t num_ghosts() const { return 0; }
  /// The ghosts of tables of all positions: one row for every neighbour that another rank owns.
  virtual const GhostRows& neighbour_ghosts() const { return no_ghosts_; }
  /// The same for a subset of these neighbours.
  virtual std::unique_ptr<GhostRows> connect_neighbours(
      std::span<const std::uint32_t> /*chosen*/) const {
    return std::make_unique<GhostRows>();
  }
  /// The ghosts of tables of one arm's positions: `members`, neighbours that are in the arm.
  virtual std::unique_ptr<GhostRows> connect_arm(std::size_t /*arm*/,
                                                 std::span<const std::uint32_t> /*members*/) const {
    return std::make_unique<GhostRows>();
  }
  /// The count features of all ghost neighbours.
  virtual std::shared_ptr<const SparseMatrix> fetch_ghost_counts() const {
    return std::make_shared<SparseMatrix>();
  }

 private:
  Communicator alone_;
  GhostRows no_ghosts_;
};

/// All positions on one process. The system must outlive it, and its arms must have been learnt.
class SystemSource : public EquationSource {
 public:
  explicit SystemSource(const RidgeSystem& system) : system_(system) {}

  EquationTables tables() const override;
  std::uint64_t number_of(std::size_t position) const override;
  NeighbourNorms neighbour_norms(const Context& context) const override;

 private:
  const RidgeSystem& system_;
};

/// K_a·V at every position, V: positions × columns.
Matrix<double> multiply_kernel(const Context& context, const EquationSource& source,
                               std::size_t arm, const Matrix<double>& v);

}  // namespace cone
