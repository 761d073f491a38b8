#pragma once

#include <cstddef>

#include <mpi.h>

namespace cone::distributed {

/// Numbers that all processes can read, where all of them are on one machine: a part of each.
/// Reading them there saves packing, sending and unpacking. Every function is called by all
/// processes, with the same arguments.
class SharedMemory {
 public:
  /// `is_there`: whether all processes are on one machine, and may share memory.
  SharedMemory(MPI_Comm comm, bool is_there);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Gives nothing back: a process that fails alone must not wait here for the others. MPI's end
  /// does, and the system if that is not reached.
  ~SharedMemory() = default;

  /// Makes room for `count` numbers of every process. False, now and ever after, where there is
  /// none: processes on several machines, or too little memory that can be shared.
  bool reserve(std::size_t count);
  /// This process's part, to be written to. It is another one at every turn, so that nobody waits
  /// until all have read the last one.
  double* begin_turn();
  /// Waits until all parts of this turn are written.
  void finish_writing() const;
  /// The part of a process, of this turn. A process may ask for it alone.
  const double* part_of(std::size_t rank) const { return find_part(rank); }

 private:
  double* find_part(std::size_t rank) const;
  bool can_hold(std::size_t num_bytes) const;

  MPI_Comm comm_;
  int size_ = 1;
  bool is_there_;
  std::size_t capacity_ = 0;  ///< numbers of a part
  int turn_ = 0;              ///< which of the two parts of every process
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace cone::distributed
