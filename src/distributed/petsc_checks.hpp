#pragma once

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <petscsys.h>

#include "cone/error.hpp"

#include "base/text.hpp"

namespace cone::distributed {

/// PETSc says what went wrong by a number, after it printed the reason.
inline void check_petsc(PetscErrorCode code) { require(code == 0, "PETSc reported an error"); }

/// Counts in PETSc's integers, which may have 32 bits. Throws Error(kData) for more than they hold.
inline PetscInt to_petsc(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<PetscInt>::max();
  if (count <= kMost) return static_cast<PetscInt>(count);
  throw Error(
      ErrorCode::kData,
      {{},
       fmt::format("one rank would have {} rows with those of its neighbours, and this PETSc "
                   "counts to {}",
                   grouped(count), grouped(kMost)),
       "take more ranks, or a PETSc with 64-bit indices"});
}

}  // namespace cone::distributed
