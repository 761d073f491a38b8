#pragma once

#include <petscsys.h>

#include "cone/error.hpp"

namespace cone::distributed {

/// PETSc says what went wrong by a number, after it printed the reason.
inline void check_petsc(PetscErrorCode code) { require(code == 0, "PETSc reported an error"); }

}  // namespace cone::distributed
