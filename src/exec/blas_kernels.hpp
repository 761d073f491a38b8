#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cone {

/// What a processor can do, as far as the choice of BLAS kernels asks.
struct VectorUnits {
  bool avx2 = false;    ///< with fused multiply-add
  bool avx512 = false;  ///< the parts that OpenBLAS's kernels need
};

VectorUnits find_vector_units();

/// The kernels that OpenBLAS chose when it was loaded, by their name ("Haswell", "Zen", ...).
std::string_view loaded_blas_kernels();

/// OpenBLAS knows processors by number. One that is newer than the library gets the oldest kernels
/// ("Prescott", without AVX), which made the network ridge three times slower on a Xeon of
/// 2023 with Debian 12. Returns the name for OPENBLAS_CORETYPE that suits the processor better,
/// none where the choice is fine.
std::optional<std::string> name_better_kernels(std::string_view loaded, VectorUnits units);

/// Lets OpenBLAS choose again in this process, by a name for OPENBLAS_CORETYPE; nothing changes
/// where that is set, or where OpenBLAS cannot choose. Only while no other thread calculates: for a
/// moment there are no kernels.
void choose_blas_kernels(const std::string& name);

}  // namespace cone
