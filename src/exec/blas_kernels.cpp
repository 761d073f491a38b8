#include <algorithm>
#include <array>
#include <cstdlib>

#include <cblas.h>

#include "cone/context.hpp"

// Called by OpenBLAS's own constructor and destructor in builds with DYNAMIC_ARCH. Not part of its
// interface, hence weak.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace cone {

VectorUnits find_vector_units() {
#if defined(__x86_64__)
  return {
      .avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0,
      .avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0};
#else
  return {};
#endif
}

std::string_view loaded_blas_kernels() {
  const char* name = openblas_get_corename();
  return name == nullptr ? std::string_view() : name;
}

std::optional<std::string> name_better_kernels(std::string_view loaded, VectorUnits units) {
  // Kernels for processors without AVX: wrong for any processor with AVX2.
  constexpr std::array<std::string_view, 6> kWithoutAvx = {"Prescott", "Core2",      "Penryn",
                                                           "Atom",     "Dunnington", "Nehalem"};
  if (std::ranges::find(kWithoutAvx, loaded) == kWithoutAvx.end()) return std::nullopt;
  if (units.avx512) return "SkylakeX";
  if (units.avx2) return "Haswell";
  return std::nullopt;
}

void choose_blas_kernels(const std::string& name) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr) return;
  if (std::getenv(kVariable) != nullptr || ::setenv(kVariable, name.c_str(), 0) != 0) return;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  ::unsetenv(kVariable);  // child processes choose for themselves
}

}  // namespace cone
