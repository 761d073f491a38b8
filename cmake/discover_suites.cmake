# Writes the ctest tests of a linked test executable: one per gtest suite, whose cases share a process
# (starting one takes up to 17 ms, most of it OpenBLAS), and one for each case that is slow or named in
# tests/long_tests.txt.
#
#   cmake -D EXECUTABLE=... -D PREFIX=ops. -D LABEL=fast -D LONG=tests/long_tests.txt -D OUT=... -P ...

execute_process(COMMAND ${EXECUTABLE} --gtest_list_tests OUTPUT_VARIABLE listed TIMEOUT 60
                COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_LIST_DIR}/long_tests.cmake)
read_long_tests(${LONG})

set(script "")
function(add_filtered name filter)
  find_test_cost(${name} cost)
  string(APPEND script "add_test([==[${name}]==] [==[${EXECUTABLE}]==] [==[--gtest_filter=${filter}]==])\n"
         "set_tests_properties([==[${name}]==] PROPERTIES LABELS ${LABEL} TIMEOUT 600 COST ${cost})\n")
  set(script "${script}" PARENT_SCOPE)
endfunction()

# Adds one test for the cases of `suite` that share a process: all but `alone`.
macro(finish_suite)
  if(suite AND num_together GREATER 0)
    list(JOIN alone ":" without)
    add_filtered(${PREFIX}${suite} "${suite}.*-${without}")
  endif()
endmacro()

# Lines are `Suite.`, followed by `  Case` lines, with a comment behind # for parameters. Lines before
# the first suite are output of main.
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(suite "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.$")
    finish_suite()
    set(suite ${CMAKE_MATCH_1})
    set(alone "")
    set(num_together 0)
  elseif(line MATCHES "^  ([A-Za-z0-9_/]+)$")
    set(case ${suite}.${CMAKE_MATCH_1})
    if(LABEL STREQUAL slow OR DEFINED cost_of_${PREFIX}${case})
      add_filtered(${PREFIX}${case} ${case})
      list(APPEND alone ${case})
    else()
      math(EXPR num_together "${num_together} + 1")
    endif()
  elseif(suite)
    message(FATAL_ERROR "${EXECUTABLE} --gtest_list_tests: unexpected line '${line}'")
  endif()
endforeach()
finish_suite()
file(WRITE ${OUT} "${script}")
