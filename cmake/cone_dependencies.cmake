# Every dependency is a Debian 12 package; scripts/packages.txt names the package of each.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED)  # to restrict OpenBLAS, which is built on it, to one thread
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Math only, header only
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h REQUIRED)

if(CONE_PETSC)
  enable_language(C)  # FindMPI needs a C compiler
  find_package(MPI REQUIRED COMPONENTS C)
  pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc)
endif()

# Highway compiles kernels once per target: by default for scalars, SSSE3, SSE4, AVX2 and AVX-512. SSSE3
# and SSE4 are disabled for a shorter build: processors without AVX2 (before 2013, or very small) use the
# slower scalar code. Under sanitizers one wide target is enough to test the dispatch.
set(CONE_HIGHWAY_WITHOUT "HWY_SSSE3|HWY_SSE4")
if(CONE_SANITIZE)
  string(APPEND CONE_HIGHWAY_WITHOUT "|HWY_AVX3")
endif()
if(CONE_BUILD_FUZZERS)
  string(APPEND CONE_HIGHWAY_WITHOUT "|HWY_AVX2")  # fuzz targets only read files
endif()
add_library(cone_highway INTERFACE)
target_link_libraries(cone_highway INTERFACE PkgConfig::HWY)
target_compile_definitions(cone_highway INTERFACE "HWY_DISABLED_TARGETS=(${CONE_HIGHWAY_WITHOUT})")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # ccache does not cache compilations that use them
endif()
