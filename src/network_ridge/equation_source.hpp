#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "exec/totals.hpp"
#include "network_ridge/neighbour_lengths.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// A table with rows of other processes in it: one that somebody else keeps, or one of its own.
class SeenTable {
 public:
  explicit SeenTable(MatrixView<const double> kept) : view_(kept) {}
  explicit SeenTable(Matrix<double> own)
      : own_(std::make_unique<Matrix<double>>(std::move(own))), view_(own_->view()) {}

  MatrixView<const double> view() const { return view_; }

 private:
  std::unique_ptr<Matrix<double>> own_;
  MatrixView<const double> view_;
};

/// Rows of tables that other processes have, behind the own ones. Where one process has all rows
/// there are none: this is it. Functions are called by all processes.
class RowsElsewhere {
 public:
  virtual ~RowsElsewhere() = default;
  /// Whether other processes may have any, or ask for this process's.
  virtual bool is_spread() const { return false; }
  /// Sets the rows behind the own ones of a table.
  virtual void fetch(Matrix<double>& /*table*/) const {}
  /// The own rows among those of others, until anything is seen or fetched again; map_rows() says
  /// where. `own` must outlive it.
  virtual SeenTable see(MatrixView<const double> own) const { return SeenTable(own); }
  /// Where the own rows and then those elsewhere lie in what is seen; empty where just so. This
  /// process calls it alone.
  virtual std::vector<std::uint32_t> map_rows() const { return {}; }
};

/// What equations are made of, for the positions that a process has: see RidgeSystem and
/// RidgeInputs.
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
  std::span<const std::uint32_t> lists;  ///< positions, then rows of neighbours elsewhere
  std::span<const double> degree, relative_degree, inverse_degree;
  const SparseMatrix* words;
  const SparseMatrix* positions_of_words;
  const Matrix<double>* columns;
  const Matrix<double>* smooth;
  const Matrix<double>* curves;

  std::size_t num_positions() const { return degree.size(); }
};

/// Where the equations of arms come from: a RidgeSystem on one machine, or what one of many
/// processes has of it. The solver knows no other difference between the two. With many processes,
/// all of them call the same functions in the same order.
class EquationSource {
 public:
  virtual ~EquationSource() = default;

  virtual EquationTables tables() const = 0;
  /// By which node random vectors are drawn: the same number whichever process has it.
  virtual std::uint64_t number_of(std::size_t position) const = 0;
  /// Of the neighbours of this process's positions.
  virtual NeighbourLengths measure_lengths(const Context& context) const = 0;

  virtual const Totals& totals() const { return alone_; }
  /// How many neighbours of this process's positions are elsewhere.
  virtual std::size_t num_elsewhere() const { return 0; }
  /// For tables of all positions, with a row for every neighbour elsewhere: brings all of these.
  virtual const RowsElsewhere& neighbours_elsewhere() const { return nobody_; }
  /// The same for some of them.
  virtual std::unique_ptr<RowsElsewhere> connect_neighbours(
      std::span<const std::uint32_t> /*chosen*/) const {
    return std::make_unique<RowsElsewhere>();
  }
  /// For tables of the positions of an arm: brings these neighbours elsewhere, who are of the arm.
  virtual std::unique_ptr<RowsElsewhere> connect_arm(
      std::size_t /*arm*/, std::span<const std::uint32_t> /*members*/) const {
    return std::make_unique<RowsElsewhere>();
  }
  /// Words of all neighbours elsewhere.
  virtual std::shared_ptr<const SparseMatrix> fetch_words_elsewhere() const {
    return std::make_shared<SparseMatrix>();
  }

 private:
  Totals alone_;
  RowsElsewhere nobody_;
};

/// All positions on one machine. The system must outlive it, and its arms be learnt.
class SystemSource : public EquationSource {
 public:
  explicit SystemSource(const RidgeSystem& system) : system_(system) {}

  EquationTables tables() const override;
  std::uint64_t number_of(std::size_t position) const override;
  NeighbourLengths measure_lengths(const Context& context) const override;

 private:
  const RidgeSystem& system_;
};

/// K_a·V at every position, V: positions × columns.
Matrix<double> multiply_kernel(const Context& context, const EquationSource& source,
                               std::size_t arm, const Matrix<double>& v);

}  // namespace cone
