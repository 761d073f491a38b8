#pragma once

namespace cone::app {

/// Starts the program anew, once, where OpenBLAS chose kernels that are too old for the processor:
/// it reads OPENBLAS_CORETYPE only while it is loaded. A user who set that variable has chosen.
/// Returns where nothing is to be done or the restart is refused; both are fine, one is slower.
void restart_with_better_kernels(char** argv);

}  // namespace cone::app
