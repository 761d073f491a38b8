#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cone {

/// The instruction sets of the processor that matter for the choice of BLAS kernels.
struct VectorUnits {
  bool avx2 = false;    ///< with fused multiply-add
  bool avx512 = false;  ///< the subsets that OpenBLAS's kernels need
};

VectorUnits find_vector_units();

/// The kernels that OpenBLAS chose when it was loaded, by their name ("Haswell", "Zen", ...).
std::string_view loaded_blas_kernels();

/// OpenBLAS identifies processors by model number. A processor newer than the library gets the
/// oldest kernels ("Prescott", without AVX), which made the network ridge three times slower on a
/// Xeon of 2023 with Debian 12. Returns a better value for OPENBLAS_CORETYPE; none where the choice
/// is fine.
std::optional<std::string> name_better_kernels(std::string_view loaded, VectorUnits units);

/// Makes OpenBLAS choose its kernels again, with `name` as OPENBLAS_CORETYPE. Does nothing where
/// the user has set that variable or OpenBLAS has no kernels to choose from. No other thread may
/// call BLAS meanwhile: for a moment there are no kernels.
void choose_blas_kernels(const std::string& name);

}  // namespace cone
