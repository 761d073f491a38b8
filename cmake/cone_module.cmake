# One CMake target per module: cone_module(data DEPENDS graph exec base LINK PkgConfig::LIBZIP)
# compiles every source in <name>/ and puts include/ and this folder (src or lab, each a library) on the path.
# DEPENDS: other modules;
# LINK: private libraries; TEXT: the module formats results and has no heavy loops (see cone_text);
# OPTIONAL: not part of the library, and built only where another target needs it.

add_library(cone_compile_options INTERFACE)
target_compile_options(cone_compile_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Wno-missing-field-initializers)
# False positives of GCC 12 inside std::string (PR105329, PR105562).
target_compile_options(cone_compile_options INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
# In unity builds, GCC takes sources for headers and warns about templates that use something local to
# a file.
target_compile_options(cone_compile_options INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
# errno is never read after std::sqrt, and setting it prevents vectorisation.
target_compile_options(cone_compile_options INTERFACE -fno-math-errno)
# Position-independent code allows other libraries to replace functions, which prevents inlining; not
# needed here.
target_compile_options(cone_compile_options INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
# GCC's garbage collection starts at 128 MB and takes 5 % of a build; without it the largest unit (the
# Python bindings) takes 1.3 GB instead of 1.1.
target_compile_options(cone_compile_options INTERFACE
                       "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>")
if(CONE_WARNINGS_AS_ERRORS)
  target_compile_options(cone_compile_options INTERFACE -Werror)
endif()
# The standard library's assertions cost little outside inner loops; release builds go without.
target_compile_definitions(cone_compile_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(CONE_SANITIZE)
  target_compile_options(cone_compile_options INTERFACE
                         -fsanitize=${CONE_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(cone_compile_options INTERFACE -fsanitize=${CONE_SANITIZE})
endif()

# For sources without time-critical loops: -O1 halves the compile time (results: 12 s instead of 26).
# Floating-point results are the same to the last bit: without -ffast-math GCC reorders no arithmetic.
add_library(cone_text INTERFACE)
target_compile_options(cone_text INTERFACE $<$<CONFIG:Release>:-O1>)

function(cone_module name)
  cmake_parse_arguments(ARG "TEXT;OPTIONAL" "" "DEPENDS;LINK;PUBLIC_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(cone_${name} STATIC ${sources})
  if(ARG_OPTIONAL)
    set_target_properties(cone_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    set_property(DIRECTORY APPEND PROPERTY CONE_MODULES ${name})
  endif()
  foreach(source IN LISTS sources)
    # Highway compiles such a file once per target: it includes itself.
    file(STRINGS ${source} highway REGEX "foreach_target" LIMIT_COUNT 1)
    if(highway)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  target_include_directories(cone_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM ARG_DEPENDS PREPEND cone_)
  target_link_libraries(cone_${name} PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC_LINK}
                                     PRIVATE cone_compile_options ${ARG_LINK})
  if(ARG_TEXT)
    target_link_libraries(cone_${name} PRIVATE cone_text)
  endif()
endfunction()

# Finds the ctest tests of an executable when it is linked: see discover_suites.cmake.
function(cone_discover_suites target prefix label)
  set(script ${CMAKE_SOURCE_DIR}/cmake/discover_suites.cmake)
  set(long ${CMAKE_SOURCE_DIR}/tests/long_tests.txt)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${found} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -D EXECUTABLE=$<TARGET_FILE:${target}> -D PREFIX=${prefix}
                             -D LABEL=${label} -D LONG=${long} -D OUT=${found} -P ${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script} ${long})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake
       "if(EXISTS [==[${found}]==])\n  include([==[${found}]==])\nelse()\n"
       "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
               ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()

# Adds the modules that `target` links, directly or indirectly, to the list `out`.
function(cone_reach target out)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^cone_" AND NOT link IN_LIST ${out})
      get_target_property(type ${link} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        list(APPEND ${out} ${link})
        cone_reach(${link} ${out})
      endif()
    endif()
  endforeach()
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# The linker keeps the first copy of an inline function or template, and those of tests are hardly
# optimised. So the complete library is linked first: tests then run the code that users run, and the tests
# of reports take a third of the time.
function(cone_link_library_first target)
  set(modules "")
  foreach(module IN LISTS ARGN)
    list(APPEND modules ${module})
    cone_reach(${module} modules)
  endforeach()
  list(REMOVE_DUPLICATES modules)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${modules} LINKER:--no-whole-archive)
endfunction()

# Tests of a module: every tests/<module>/*_test.cpp becomes part of cone_<module>_fast_test; those
# named *_slow_test.cpp go into a separate executable, labelled `slow` and excluded from sanitizer runs.
# *_fixture_test.cpp read reference values from $CONE_FIXTURE_DIR. ON_EVERY_TARGET: each test runs once
# for each instruction set that the kernels were compiled for.
function(cone_module_tests name)
  cmake_parse_arguments(ARG "ON_EVERY_TARGET" "" "DEPENDS;LINK" ${ARGN})
  set(main GTest::gtest_main)
  if(ARG_ON_EVERY_TARGET)
    set(main cone_every_target_main)
  endif()
  file(GLOB all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
  set(slow ${all})
  list(FILTER slow INCLUDE REGEX "_slow_test\\.cpp$")
  set(fast ${all})
  list(FILTER fast EXCLUDE REGEX "_slow_test\\.cpp$")
  list(TRANSFORM ARG_DEPENDS PREPEND cone_)
  foreach(kind fast slow)
    if(${kind})
      set(target cone_${name}_${kind}_test)
      add_executable(${target} ${${kind}})
      # Headers are most of the compile time, and the tests of a module share them.
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON POSITION_INDEPENDENT_CODE OFF)
      target_precompile_headers(${target} REUSE_FROM cone_every_target_main)
      target_link_libraries(${target} PRIVATE cone_${name} ${ARG_DEPENDS} cone_test_support
                                              cone_compile_options ${ARG_LINK} ${main})
      cone_link_library_first(${target} cone_${name} ${ARG_DEPENDS})
      cone_discover_suites(${target} ${name}. ${kind})
    endif()
  endforeach()
endfunction()
