#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "cone/matrix.hpp"

/// \file
/// Ghost (halo) rows of tables whose rows are distributed over ranks.

namespace cone {

/// A row of a distributed table: the rank that owns it, and its index there.
struct RemoteRow {
  std::uint64_t rank;
  std::uint64_t row;
};

/// The ghost rows of a rank's tables: rows of other ranks behind its own.
struct GhostLayout {
  std::size_t num_owned = 0;
  std::size_t num_ghosts = 0;
  std::span<const RemoteRow> remote;        ///< the rows to fetch
  std::span<const std::uint32_t> ghost_of;  ///< the ghost row that each becomes; empty: in order
};

/// A table that includes ghost rows: where there are none, a view of the own rows, else a copy.
class GhostedTable {
 public:
  explicit GhostedTable(MatrixView<const double> own) : view_(own) {}
  explicit GhostedTable(Matrix<double> own)
      : own_(std::make_unique<Matrix<double>>(std::move(own))), view_(own_->view()) {}

  MatrixView<const double> view() const { return view_; }

 private:
  std::unique_ptr<Matrix<double>> own_;
  MatrixView<const double> view_;
};

/// Fetches ghost rows from their owners (Communicator::connect_ghosts). This base class is the case
/// of one process, which has none. Its functions are collective unless stated otherwise.
class GhostRows {
 public:
  virtual ~GhostRows() = default;
  /// Whether rows are distributed over several ranks. Not collective.
  virtual bool is_distributed() const { return false; }
  /// Sets the ghost rows of a table.
  virtual void fetch(Matrix<double>& /*table*/) const {}
  /// The own rows, then the ghost rows; `own` must outlive it.
  virtual GhostedTable with_ghosts(MatrixView<const double> own) const { return GhostedTable(own); }
};

}  // namespace cone
