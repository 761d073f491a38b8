#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cone/matrix.hpp"

#include "distributed/ranks.hpp"
#include "network_ridge/equation_source.hpp"

namespace cone::distributed {

/// Where a node of another rank is.
struct RemotePosition {
  std::uint64_t rank;
  std::uint64_t position;  ///< there
};

/// Rows of other ranks that this rank's nodes are connected to, behind its own. Where the ranks
/// share memory a table is seen there, with the rows of all ranks one behind the other, and nothing
/// is sent; otherwise PETSc's star forest brings what is asked for.
class Ghosts : public RowsElsewhere {
 public:
  Ghosts(const Ranks& ranks, std::size_t num_owned, std::span<const RemotePosition> ghosts);
  /// Some of `num_ghosts` rows behind the own ones: those that `positions` name, in its order.
  Ghosts(const Ranks& ranks, std::size_t num_owned, std::size_t num_ghosts,
         std::span<const std::uint32_t> positions, std::span<const RemotePosition> ghosts);

  std::size_t num_owned() const { return num_owned_; }
  std::size_t num_ghosts() const { return num_ghosts_; }
  std::size_t num_rows() const { return num_owned_ + num_ghosts_; }

  /// Sets the rows behind the own ones of a table of num_rows() rows from their owners.
  void update(Matrix<double>& table) const;

  bool is_spread() const override { return ranks_->size() > 1; }
  void fetch(Matrix<double>& table) const override { update(table); }
  SeenTable see(MatrixView<const double> own) const override;
  std::vector<std::uint32_t> map_rows() const override;

 private:
  struct Forest;
  /// Rows behind the own ones, where they are not all of them.
  std::size_t row_of(std::size_t k) const { return positions_.empty() ? k : positions_[k]; }
  /// The row of the k-th of `positions_` among those of all ranks.
  std::size_t row_of_all(std::size_t k) const {
    return first_row_[positions_[k].rank] + positions_[k].position;
  }
  std::size_t num_rows_of_all() const { return first_row_.back(); }
  /// Puts the own rows where all ranks see them, and gives those of all; nothing where ranks share
  /// no memory that would hold them.
  std::optional<MatrixView<const double>> show(MatrixView<const double> own) const;
  void send_by_forest(Matrix<double>& table) const;
  void count_rows(std::size_t width, double seconds) const;

  const Ranks* ranks_;
  std::size_t num_owned_;
  std::size_t num_ghosts_;
  std::vector<std::uint64_t> first_row_;  ///< of every rank, of those of all; then how many
  bool shows_all_;                        ///< seen tables have the rows of all ranks
  std::vector<std::uint32_t> positions_;
  std::vector<RemotePosition> positions_;  ///< of the rows that are fetched
  std::shared_ptr<Forest> forest_;         ///< grown when it is needed
};

}  // namespace cone::distributed
