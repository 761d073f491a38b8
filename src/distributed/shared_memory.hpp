#pragma once

#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "distributed/barrier.hpp"

namespace cone::distributed {

/// Numbers that all processes write and read, where all of them are on one machine. Reading them
/// there saves packing, sending and unpacking. Every function is called by all processes, with the
/// same arguments.
class SharedMemory {
 public:
  /// `is_there`: whether all processes are on one machine, and may share memory.
  SharedMemory(MPI_Comm comm, bool is_there);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Gives nothing back: a process that fails alone must not wait here for the others. MPI's end
  /// does, and the system if that is not reached.
  ~SharedMemory() = default;

  /// Makes room for `count` numbers of all processes together. False where there is none: processes
  /// on several machines, or too little memory that can be shared. Room that was there stays.
  bool reserve(std::size_t count);
  /// The room of a new turn, the same for all: every process writes what is its own. It is another
  /// room than that of the turn before, which may be read until the process begins a new turn.
  double* begin_turn();
  /// Waits until all have written.
  void finish_writing() const;

 private:
  bool can_hold(std::size_t num_bytes) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::uint32_t size_ = 1;
  bool is_crowded_ = false;  ///< more processes than cores
  bool is_there_;
  std::size_t capacity_ = 0;    ///< numbers of a room
  std::size_t turn_ = 0;        ///< which of the two rooms
  Barrier* meeting_ = nullptr;  ///< where the shared memory begins
  double* first_ = nullptr;     ///< where the rooms begin
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace cone::distributed
