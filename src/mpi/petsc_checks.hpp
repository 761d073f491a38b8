#pragma once

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <petscsys.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

namespace cone::mpi {

/// PETSc returns an error code after it has printed the reason.
inline void check_petsc(PetscErrorCode code) { require(code == 0, "PETSc reported an error"); }

/// Converts to PetscInt, which may have 32 bits. Throws Error(kData) where it does not fit.
inline PetscInt to_petsc(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<PetscInt>::max();
  if (count <= kMost) return static_cast<PetscInt>(count);
  throw Error(
      ErrorCode::kData,
      {{},
       fmt::format("one rank would have {} rows including ghosts, more than this PETSc's limit of "
                   "{}",
                   grouped(count), grouped(kMost)),
       "use more ranks, or a PETSc with 64-bit indices"});
}

}  // namespace cone::mpi
