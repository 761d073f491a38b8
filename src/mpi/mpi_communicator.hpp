#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <mpi.h>

#include "cone/context.hpp"

namespace cone::mpi {

/// The ranks of an MPI communicator.
class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm comm);

  MPI_Comm comm() const { return comm_; }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  /// One core per rank of this host, at most those in this process's affinity mask.
  int count_cores_for(std::size_t num_busy) const override;
  std::unique_ptr<GhostRows> connect_ghosts(const GhostLayout& layout) const override;

  Traffic traffic() const override { return traffic_; }
  void count_traffic(std::uint64_t num_bytes, double seconds) const;

 protected:
  void do_allreduce(std::span<double> values) const override;
  void do_allreduce_max(std::span<double> values) const override;
  void do_reduce_scatter(std::span<double> values,
                         std::span<const std::size_t> begins) const override;
  void do_broadcast(std::size_t root, std::span<std::byte> values) const override;
  void do_gather(std::size_t root, std::span<const double> part,
                 std::span<const std::size_t> begins, std::span<double> all) const override;
  /// At most 2³¹ bytes of all ranks together, or 2³¹ units of eight bytes.
  void do_allgatherv(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                     std::span<std::byte> all) const override;
  void do_alltoallv(std::span<const std::span<const std::byte>> parts, const Allocate& allocate,
                    const Release& release) const override;
  void do_barrier() const override;

 private:
  void send_and_receive(std::size_t to, std::span<const std::byte> sent, std::size_t from,
                        std::span<std::byte> received) const;

  MPI_Comm comm_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  std::size_t num_on_host_ = 1;
  mutable Traffic traffic_;
};

}  // namespace cone::mpi
