#pragma once

namespace cone::app {

struct EvaluateFlags;

/// cone evaluate --engine petsc: one process of several that mpirun started. Throws Error(kUsage)
/// where the program was built without it. Only the first process prints and writes.
int run_on_ranks(const EvaluateFlags& flags);

/// Whether this is the only process, or the first of those that mpirun started.
bool is_first_process();

/// Throws Error(kUsage) where mpirun started several processes, which would all do the same.
void refuse_many_processes();

}  // namespace cone::app
