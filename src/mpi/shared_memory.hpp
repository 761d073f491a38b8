#pragma once

#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "mpi/barrier.hpp"

namespace cone::mpi {

/// Values that all ranks of one host write and read (an MPI shared window), which saves packing,
/// sending and unpacking. Every function is collective: called by all ranks, with the same
/// arguments.
class SharedMemory {
 public:
  /// `is_available`: whether all ranks are on one host and may share memory.
  SharedMemory(MPI_Comm comm, bool is_available);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Does not free the window, which is collective: a rank that fails alone must not wait for the
  /// others. MPI_Finalize frees it, or the system if that is not reached.
  ~SharedMemory() = default;

  /// Allocates buffers for `count` values of all ranks together. False where that is not possible:
  /// ranks on several hosts, or too little shared memory. Buffers allocated before stay valid then.
  bool reserve(std::size_t count);
  /// The next of two alternating buffers, the same for all ranks: every rank writes its own values.
  /// The previous buffer may be read until this rank calls next_buffer() again.
  double* next_buffer();
  /// A barrier: waits until all ranks have written.
  void finish_writing() const;

 private:
  bool can_hold(std::size_t num_bytes) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::uint32_t size_ = 1;
  bool is_oversubscribed_ = false;  ///< more ranks than cores
  bool is_available_;
  std::size_t capacity_ = 0;    ///< values per buffer
  std::size_t buffer_ = 0;      ///< index of the current buffer
  Barrier* barrier_ = nullptr;  ///< at the start of the shared memory
  double* first_ = nullptr;     ///< the first buffer
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace cone::mpi
