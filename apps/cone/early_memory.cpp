#include <algorithm>
#include <cstddef>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cone/context.hpp"

#include "commands.hpp"

// OpenBLAS takes buffers while it is loaded, one per OpenMP thread, and where the system refuses
// them it tries again forever: no main() would ever run to say so. Functions in .preinit_array run
// before the libraries start. Little of the run-time library may be used in them.

namespace {

// A sanitizer's run-time is not there yet either, and would not fit into a small address space.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// What the libraries need besides it while they start.
constexpr std::size_t kStartBytes = std::size_t{24} << 20;

/// How many threads OpenBLAS will take buffers for: one per core, or the user's number if that is
/// less. The environment is not set up for getenv() yet.
std::size_t count_blas_threads(char** environment) {
  unsigned char cores[1024] = {};
  const long size = syscall(SYS_sched_getaffinity, 0, sizeof(cores), cores);
  std::size_t count = 0;
  for (long i = 0; i < size; ++i) count += static_cast<std::size_t>(__builtin_popcount(cores[i]));
  constexpr const char* kName = "OMP_NUM_THREADS=";
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, kName, std::strlen(kName)) != 0) continue;
    std::size_t number = 0;
    for (const char* c = *entry + std::strlen(kName); *c >= '0' && *c <= '9' && number < 1000;
         ++c) {
      number = 10 * number + static_cast<std::size_t>(*c - '0');
    }
    if (number > 0) count = std::min(count, number);
  }
  return std::max(count, std::size_t{1});
}

void check_memory(int, char**, char** environment) {
  const std::size_t wanted = count_blas_threads(environment) * cone::kBlasBufferBytes + kStartBytes;
  const long address = syscall(SYS_mmap, nullptr, wanted, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address != -1) {
    syscall(SYS_munmap, address, wanted);
    return;
  }
  constexpr const char* kMessage =
      "cone: out of memory: the limit on the address space (ulimit -v) leaves no room to start; "
      "raise it, or set OMP_NUM_THREADS=1\n";
  if (write(STDERR_FILENO, kMessage, std::strlen(kMessage)) < 0) {
    // stderr is closed: nothing can be reported.
  }
  _exit(cone::app::kFailure);
}

__attribute__((section(".preinit_array"), used)) void (*check_memory_early)(int, char**,
                                                                            char**) = check_memory;

#endif

}  // namespace
