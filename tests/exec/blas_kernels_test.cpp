#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "cone/context.hpp"

namespace cone {
namespace {

TEST(BlasKernels, KernelsWithoutAvxAreReplaced) {
  EXPECT_EQ(name_better_kernels("Prescott", {.avx2 = true, .avx512 = true}), "SkylakeX");
  EXPECT_EQ(name_better_kernels("Prescott", {.avx2 = true}), "Haswell");
  EXPECT_EQ(name_better_kernels("Nehalem", {.avx2 = true}), "Haswell");
  EXPECT_EQ(name_better_kernels("Prescott", {}), std::nullopt);
}

TEST(BlasKernels, KernelsWithAvxAreKept) {
  for (const char* name : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "Sandybridge"}) {
    EXPECT_EQ(name_better_kernels(name, {.avx2 = true, .avx512 = true}), std::nullopt) << name;
  }
}

TEST(BlasKernels, TheLoadedKernelsHaveAName) { EXPECT_FALSE(loaded_blas_kernels().empty()); }

}  // namespace
}  // namespace cone
