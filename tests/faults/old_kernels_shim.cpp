// Makes OpenBLAS report its oldest kernels, as it does on processors newer than itself.
// Preloaded by tests/cli/test_restart.py.

extern "C" const char* openblas_get_corename();
extern "C" const char* openblas_get_corename() { return "Prescott"; }
