#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cone/matrix.hpp"

#include "mpi/mpi_communicator.hpp"

namespace cone::mpi {

/// Ghost (halo) rows: rows of neighbours that other ranks own, behind this rank's own rows. Ranks
/// with shared memory read them there, from a table with the rows of all ranks in rank order, and
/// send nothing; otherwise a PetscSF (star forest) fetches them.
class MpiGhosts : public GhostRows {
 public:
  MpiGhosts(const MpiCommunicator& comm, const GhostLayout& layout);
  ~MpiGhosts() override;

  bool is_distributed() const override { return comm_.has_others(); }
  void fetch(Matrix<double>& table) const override;
  GhostedTable with_ghosts(MatrixView<const double> own) const override;
  std::vector<std::uint32_t> map_rows() const override;

 private:
  struct Forest;
  std::size_t num_rows() const { return num_owned_ + num_ghosts_; }
  /// The ghost row that the k-th fetched row goes to.
  std::size_t row_of(std::size_t k) const { return ghost_rows_.empty() ? k : ghost_rows_[k]; }
  /// The row of the k-th fetched row in a table of all ranks.
  std::size_t global_row_of(std::size_t k) const {
    return first_row_[remote_[k].rank] + remote_[k].row;
  }
  std::size_t num_global_rows() const { return first_row_.back(); }
  /// Writes the own rows to shared memory and returns the table of all ranks; nothing where shared
  /// memory is too small or not available.
  std::optional<MatrixView<const double>> publish(MatrixView<const double> own) const;
  void send_by_forest(Matrix<double>& table) const;
  void count_rows(std::size_t width, double seconds) const;

  const MpiCommunicator& comm_;
  std::size_t num_owned_;
  std::size_t num_ghosts_;
  std::vector<std::uint64_t> first_row_;   ///< ranks + 1: first row of every rank, then the total
  bool shares_all_;                        ///< with_ghosts() returns tables of all ranks' rows
  std::vector<std::uint32_t> ghost_rows_;  ///< empty where all ghost rows are fetched in order
  std::vector<RemoteRow> remote_;          ///< owners of the fetched rows
  std::unique_ptr<Forest> forest_;         ///< built on first use
};

}  // namespace cone::mpi
