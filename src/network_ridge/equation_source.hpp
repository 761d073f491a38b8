#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "exec/statistics.hpp"
#include "network_ridge/neighbour_norms.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// A table that includes ghost rows: a view of memory that another object owns, or its own copy.
class GhostedTable {
 public:
  explicit GhostedTable(MatrixView<const double> shared) : view_(shared) {}
  explicit GhostedTable(Matrix<double> own)
      : own_(std::make_unique<Matrix<double>>(std::move(own))), view_(own_->view()) {}

  MatrixView<const double> view() const { return view_; }

 private:
  std::unique_ptr<Matrix<double>> own_;
  MatrixView<const double> view_;
};

/// Ghost (halo) rows: rows of tables that other ranks own, behind this rank's own rows. This
/// base class is the case of one process, which has none. Its functions are collective unless
/// stated otherwise.
class GhostRows {
 public:
  virtual ~GhostRows() = default;
  /// Whether rows are distributed over several ranks.
  virtual bool is_distributed() const { return false; }
  /// Sets the ghost rows of a table.
  virtual void fetch(Matrix<double>& /*table*/) const {}
  /// The own rows and the ghost rows, at the indices of map_rows(). Valid until the next
  /// with_ghosts() or fetch(); `own` must outlive it.
  virtual GhostedTable with_ghosts(MatrixView<const double> own) const { return GhostedTable(own); }
  /// For the own rows, then the ghost rows: their index in the table of with_ghosts(); empty where
  /// that is the same order. Not collective.
  virtual std::vector<std::uint32_t> map_rows() const { return {}; }
};

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
