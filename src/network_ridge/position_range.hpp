#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// Lists of rows of a table with ghosts.
class RowLists {
 public:
  RowLists() = default;
  /// `ghosts` are those of the table. They and what is given as spans must outlive this.
  RowLists(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> rows,
           const GhostRows& ghosts);
  RowLists(std::vector<std::uint64_t> offsets, std::span<const std::uint32_t> rows,
           const GhostRows& ghosts);
  RowLists(std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> rows,
           const GhostRows& ghosts);
  RowLists(const RowLists&) = delete;
  RowLists& operator=(const RowLists&) = delete;
  RowLists(RowLists&&) = default;
  RowLists& operator=(RowLists&&) = default;

  /// The sum of the listed rows, one row per list. Collective.
  Matrix<double> sum(const Context& context, MatrixView<const double> table) const;

 private:
  std::vector<std::uint64_t> own_offsets_;
  std::vector<std::uint32_t> own_rows_;
  std::span<const std::uint64_t> offsets_;
  std::span<const std::uint32_t> rows_;
  const GhostRows* ghosts_ = nullptr;
};

/// A range of positions, and the products of their tables with rows of the adjacency matrix A. Its
/// functions are collective. The inputs must outlive it.
class PositionRange {
 public:
  /// All positions.
  explicit PositionRange(const RidgeInputs& inputs);
  /// Those of an arm. Without the network, no products with it.
  PositionRange(const Context& context, const RidgeInputs& inputs, std::size_t arm,
                bool uses_network);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t size() const { return end_ - begin_; }

  /// S'V with S = A_R (sums) or D_R⁻¹A_R (means), A_R the rows of the range on all ranks: one row
  /// for every position of this rank.
  Matrix<double> spread_to_neighbours(const Context& context, const Matrix<double>& v,
                                      bool averages) const;
  /// S·W with the same S: the sum or the mean of the rows of W over all neighbours of the range's
  /// positions. W has one row for every position of this rank.
  Matrix<double> sum_over_neighbours(const Context& context, const Matrix<double>& w,
                                     bool averages) const;

 private:
  RowLists list_members(const Context& context, std::size_t arm);
  RowLists list_neighbours();
  /// The rows of a table of the range divided by their degrees.
  Matrix<double> divide_by_degree(const Context& context, Matrix<double> v) const;

  const RidgeInputs& inputs_;
  std::size_t begin_;
  std::size_t end_;
  /// Ghosts of tables of the range, and those of its positions among the ghosts of all.
  std::unique_ptr<GhostRows> member_ghosts_, neighbour_ghosts_;
  RowLists members_;     ///< of every position: its neighbours in the range, as rows of its tables
  RowLists neighbours_;  ///< of the range's positions
};

}  // namespace cone
