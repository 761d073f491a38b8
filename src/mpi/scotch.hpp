#pragma once

#include "distributed/partition.hpp"
#include "mpi/mpi_communicator.hpp"

namespace cone::mpi {

/// PT-Scotch's partition, which minimises cut edges. The communicator must outlive it.
class ScotchPartitioner : public distributed::Partitioner {
 public:
  explicit ScotchPartitioner(const MpiCommunicator& comm) : comm_(comm) {}

  /// Whether the numbers of nodes and edges fit into PetscInt.
  bool fits(const distributed::GlobalData& global,
            const distributed::NodeRows& rows) const override;
  std::vector<std::uint32_t> assign_rows(const distributed::GlobalData& global,
                                         const distributed::NodeRows& rows,
                                         std::span<const std::uint32_t> weights) const override;

 private:
  void refuse_too_large(const distributed::GlobalData& global,
                        const distributed::NodeRows& rows) const;

  const MpiCommunicator& comm_;
};

}  // namespace cone::mpi
