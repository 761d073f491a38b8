#include "restart.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include <unistd.h>

#include "cone/context.hpp"

namespace cone::app {

void restart_with_better_kernels(char** argv) {
#if defined(__linux__)
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable) != nullptr) return;
  const std::optional<std::string> better =
      name_better_kernels(loaded_blas_kernels(), find_vector_units());
  if (!better || ::setenv(kVariable, better->c_str(), 0) != 0) return;
  ::execv("/proc/self/exe", argv);  // comes back only where it fails
#else
  static_cast<void>(argv);
#endif
}

}  // namespace cone::app
