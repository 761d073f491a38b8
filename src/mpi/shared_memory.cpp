#include "mpi/shared_memory.hpp"

#include <new>
#include <thread>

#include <sys/statvfs.h>

namespace cone::mpi {
namespace {

/// Where MPI allocates shared windows.
constexpr const char* kSharedFolder = "/dev/shm";
constexpr std::size_t kNumBuffers = 2;

}  // namespace

SharedMemory::SharedMemory(MPI_Comm comm, bool is_available)
    : comm_(comm), is_available_(is_available) {
  MPI_Comm_rank(comm, &rank_);
  int size = 1;
  MPI_Comm_size(comm, &size);
  size_ = static_cast<std::uint32_t>(size);
  is_oversubscribed_ = size_ > std::thread::hardware_concurrency();
  if (!is_available_) return;
  // Its own communicator, so that a failed allocation returns an error instead of ending the run.
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

/// When tmpfs is full, the first write to a missing page kills the process (SIGBUS). So the free
/// space is checked before allocation, and half of it is left to other programs.
bool SharedMemory::can_hold(std::size_t num_bytes) const {
  struct statvfs folder {};
  int fits = 0;
  if (statvfs(kSharedFolder, &folder) == 0) {
    fits = folder.f_bavail * folder.f_frsize / 2 >= num_bytes;
  }
  int fits_all = 0;
  MPI_Allreduce(&fits, &fits_all, 1, MPI_INT, MPI_MIN, comm_);
  return fits_all != 0;
}

bool SharedMemory::reserve(std::size_t count) {
  if (!is_available_ || count <= capacity_) return is_available_;
  const std::size_t num_bytes = sizeof(Barrier) + kNumBuffers * count * sizeof(double);
  if (!can_hold(num_bytes)) return false;
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  // Rank 0 allocates all of it; pages are still placed by first touch.
  void* own = nullptr;
  const int is_made =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(rank_ == 0 ? num_bytes : 0), sizeof(double),
                              MPI_INFO_NULL, comm_, &own, &window_) == MPI_SUCCESS;
  int is_made_by_all = 0;
  MPI_Allreduce(&is_made, &is_made_by_all, 1, MPI_INT, MPI_MIN, comm_);
  is_available_ = is_made_by_all != 0;
  if (!is_available_) return false;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  MPI_Aint size = 0;
  int unit = 0;
  void* begin = nullptr;
  MPI_Win_shared_query(window_, 0, &size, &unit, &begin);
  barrier_ = static_cast<Barrier*>(begin);
  if (rank_ == 0) new (begin) Barrier();
  MPI_Barrier(comm_);
  first_ = static_cast<double*>(static_cast<void*>(barrier_ + 1));
  capacity_ = count;
  return true;
}

double* SharedMemory::next_buffer() {
  buffer_ = (buffer_ + 1) % kNumBuffers;
  return first_ + buffer_ * capacity_;
}

void SharedMemory::finish_writing() const { barrier_->wait_for_all(size_, is_oversubscribed_); }

}  // namespace cone::mpi
