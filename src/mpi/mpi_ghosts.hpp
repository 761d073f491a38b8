#pragma once

#include <cstddef>

#include <petscsf.h>

#include "cone/matrix.hpp"

#include "mpi/mpi_communicator.hpp"

namespace cone::mpi {

/// Ghost (halo) rows: rows of neighbours that other ranks own, behind this rank's own rows, fetched
/// by a PetscSF (star forest).
class MpiGhosts : public GhostRows {
 public:
  MpiGhosts(const MpiCommunicator& comm, const GhostLayout& layout);
  ~MpiGhosts() override;
  MpiGhosts(const MpiGhosts&) = delete;
  MpiGhosts& operator=(const MpiGhosts&) = delete;

  bool is_distributed() const override { return comm_.has_others(); }
  void fetch(Matrix<double>& table) const override;
  GhostedTable with_ghosts(MatrixView<const double> own) const override;

 private:
  const MpiCommunicator& comm_;
  std::size_t num_owned_;
  std::size_t num_ghosts_;
  std::size_t num_fetched_;
  PetscSF forest_ = nullptr;
};

}  // namespace cone::mpi
